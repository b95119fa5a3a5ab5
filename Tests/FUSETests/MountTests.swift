import Foundation
import Testing

/// Everything that mounts, one after the other.
@Suite("Mounts", .serialized, .enabled(if: Fixture.canMount, "needs a /dev/fuse that this user may open"))
struct MountTests {}
