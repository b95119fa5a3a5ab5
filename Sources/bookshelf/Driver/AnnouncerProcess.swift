internal import BookFileSystem
internal import Catalog
internal import FUSE
internal import Glibc
internal import Log
internal import Processes
internal import SharedMemory

/// The process that announces: it makes system calls on the mount, so it answers nothing.
enum AnnouncerProcess {
    /// - Parameters:
    ///   - plan: Of the driver.
    ///   - supervisor: The number of the process that started this one.
    /// - Returns: The exit status.
    static func run(_ plan: DriverPlan, supervisor: Int32) -> Int32 {
        guard ThisProcess.dieWithParent(supervisor, signal: SIGKILL) else { return 1 }
        let log = plan.log(for: "announcer")
        do throws(CatalogError) {
            let place = CatalogPlace(plan.catalog, log: log)
            let catalog = try CatalogReaders(path: plan.catalog, count: 1)
            guard
                let region = try? SharedRegion(
                    descriptor: DriverDescriptor.board, wordCount: AnnouncementBoard.wordCount)
            else { return 1 }
            let board = AnnouncementBoard(in: region)
            let hasClone = fcntl(DriverDescriptor.clone, F_SETFD, FD_CLOEXEC) == 0
            let mount =
                hasClone ? AnnouncedPath(clone: DriverDescriptor.clone) : AnnouncedPath(mountPoint: plan.mountPoint)
            let announcer = Announcer(catalog: catalog, board: board, mount: mount, log: log)
            board.withdraw()
            // The main thread has the number of the process.
            board.announcerThread = getpid()
            while true {
                // The supervisor starts the next one, which reads the new catalog.
                if place.isReplaced { return 0 }
                announcer.announceDue()
                guard waitForAdvance() else { return 0 }
            }
        } catch {
            log.error("the announcer can't read the catalog", ["reason": .public(error.reason)])
            return 1
        }
    }

    /// - Returns: `false` if the supervisor is gone.
    private static func waitForAdvance() -> Bool {
        // Now and then without being told, in case a worker died before it could tell.
        let isReadable = ThisProcess.wait(for: [DriverDescriptor.advance], atMost: .seconds(5))[0]
        guard isReadable else { return true }
        var bytes = [UInt8](repeating: 0, count: 512)
        return unsafe read(DriverDescriptor.advance, &bytes, bytes.count) != 0
    }
}
