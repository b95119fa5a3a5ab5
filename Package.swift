// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target, tests included: a new target cannot be lax by omission.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "bookshelf",
    products: [.executable(name: "bookshelf", targets: ["bookshelf"])],
    targets: [
        // C libraries. Each is imported by exactly one Swift target.
        .systemLibrary(name: "CFuse3", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .systemLibrary(name: "CSQLite3", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"])]),
        .systemLibrary(name: "CUtf8proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),

        // Words of the domain: no input, no output, no import.
        .target(name: "Shelf", swiftSettings: strict),

        // Mechanisms: one C library each, or one facility of the kernel; they know no books.
        .target(name: "SQLite", dependencies: ["CSQLite3"], swiftSettings: strict),
        .target(name: "Digest", dependencies: ["CCrypto"], swiftSettings: strict),
        .target(name: "FUSE", dependencies: ["CFuse3", "Log"], swiftSettings: strict),
        .target(name: "Threads", swiftSettings: strict),
        .target(name: "HTTP", dependencies: ["CCurl", "Threads", "Log"], swiftSettings: strict),
        .target(name: "JSON", dependencies: ["CYajl"], swiftSettings: strict),
        .target(name: "TextForms", dependencies: ["CUtf8proc"], swiftSettings: strict),
        .target(name: "SharedMemory", swiftSettings: strict),
        .target(name: "Log", swiftSettings: strict),

        // Parts of the domain. They do not know each other; they meet through protocols in Shelf.
        .target(name: "Catalog", dependencies: ["Shelf", "SQLite", "TextForms", "Log"], swiftSettings: strict),
        .target(
            name: "ContentCache", dependencies: ["Shelf", "Digest", "SharedMemory", "Threads", "Log"],
            swiftSettings: strict),
        .target(
            name: "ContentSources", dependencies: ["Shelf", "HTTP", "JSON", "TextForms", "Digest", "Log"],
            swiftSettings: strict),
        .target(name: "Settings", dependencies: ["Shelf", "CInih", "Log"], swiftSettings: strict),
        .target(
            name: "BookFileSystem",
            dependencies: ["Shelf", "Catalog", "ContentCache", "FUSE", "SharedMemory", "Log"], swiftSettings: strict),
        .target(name: "Control", dependencies: ["Shelf", "JSON", "Log"], swiftSettings: strict),

        // Composition root: the command and the driver.
        .executableTarget(
            name: "bookshelf",
            dependencies: [
                "BookFileSystem", "Catalog", "ContentCache", "ContentSources", "Control", "FUSE", "HTTP", "JSON", "Log",
                "Settings", "SharedMemory", "Shelf",
            ],
            swiftSettings: strict),

        // Tests.
        .target(
            name: "TestHarness", dependencies: ["Threads"], path: "Tests/TestHarness", swiftSettings: strict),
        .testTarget(name: "DigestTests", dependencies: ["Digest"], swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "TestHarness", "Threads"], swiftSettings: strict),
        .testTarget(name: "TextFormsTests", dependencies: ["TextForms"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
        .testTarget(name: "ContentSourcesTests", dependencies: ["ContentSources", "Shelf"], swiftSettings: strict),
    ]
)
