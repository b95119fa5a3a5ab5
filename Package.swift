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
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CXattr"),
        .systemLibrary(name: "CUtf8proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CSharedMemory"),
        .target(name: "CSocket"),
        .target(name: "CKeyring"),
        .systemLibrary(name: "CProcess"),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),

        // Words of the domain: no input, no output, no import.
        .target(name: "Shelf", swiftSettings: strict),

        // Mechanisms: one C library each, or one facility of the kernel; they know no books.
        .target(name: "SQLite", dependencies: ["CSQLite3"], swiftSettings: strict),
        .target(name: "Digest", dependencies: ["CCrypto"], swiftSettings: strict),
        .target(name: "FUSE", dependencies: ["CFuse3"], swiftSettings: strict),
        .target(name: "Threads", swiftSettings: strict),
        .target(name: "HTTP", dependencies: ["CCurl", "Digest", "Threads", "Log"], swiftSettings: strict),
        .target(name: "Keyring", dependencies: ["CKeyring"], swiftSettings: strict),
        .target(name: "JSON", dependencies: ["CYajl"], swiftSettings: strict),
        .target(name: "XML", dependencies: ["CExpat"], swiftSettings: strict),
        .target(name: "Archive", dependencies: ["CZip"], swiftSettings: strict),
        .target(name: "TextForms", dependencies: ["CUtf8proc"], swiftSettings: strict),
        .target(name: "FileLock", swiftSettings: strict),
        .target(name: "FileWatch", swiftSettings: strict),
        .target(name: "Processes", dependencies: ["CProcess"], swiftSettings: strict),
        .target(name: "SharedMemory", dependencies: ["CSharedMemory"], swiftSettings: strict),
        .target(name: "Log", swiftSettings: strict),
        .target(name: "Spelling", swiftSettings: strict),
        .target(name: "Arguments", dependencies: ["Spelling"], swiftSettings: strict),
        .target(name: "Terminal", swiftSettings: strict),

        // Parts of the domain. They do not know each other; they meet through protocols in Shelf.
        .target(
            name: "Catalog", dependencies: ["Shelf", "FileLock", "SQLite", "TextForms", "Threads", "Log"],
            swiftSettings: strict),
        .target(
            name: "ContentCache",
            dependencies: ["Shelf", "CXattr", "Digest", "FileLock", "SharedMemory", "Threads", "Log"],
            swiftSettings: strict),
        .target(
            name: "ContentSources",
            dependencies: ["Shelf", "Archive", "HTTP", "JSON", "SQLite", "TextForms", "XML", "Digest", "Log"],
            swiftSettings: strict),
        .target(
            name: "Accounts", dependencies: ["Digest", "FileLock", "HTTP", "JSON", "Threads", "Log"],
            swiftSettings: strict),
        .target(name: "Settings", dependencies: ["CInih", "Log", "Spelling"], swiftSettings: strict),
        .target(
            name: "BookFileSystem",
            dependencies: ["Shelf", "Catalog", "ContentCache", "FUSE", "FileWatch", "SharedMemory", "Log"],
            swiftSettings: strict),
        .target(
            name: "Control", dependencies: ["Shelf", "CSocket", "FileLock", "JSON", "Threads", "Log"],
            swiftSettings: strict),

        // The words of the command: what it can be told, and what it says.
        .target(
            name: "CommandLanguage",
            dependencies: ["Shelf", "Arguments", "Control", "JSON", "Settings", "Spelling", "Terminal"],
            swiftSettings: strict),

        // Composition root: the command and the driver.
        .executableTarget(
            name: "bookshelf",
            dependencies: [
                "Accounts", "Arguments", "BookFileSystem", "Catalog", "CommandLanguage", "ContentCache",
                "ContentSources",
                "Control", "Digest",
                "FUSE", "FileLock", "FileWatch", "HTTP", "JSON", "Keyring", "Log", "Processes", "Settings",
                "SharedMemory",
                "Shelf", "Terminal", "TextForms", "Threads",
            ],
            swiftSettings: strict),

        .testTarget(name: "ShelfTests", dependencies: ["Shelf"], swiftSettings: strict),
        .testTarget(name: "FileLockTests", dependencies: ["FileLock"], swiftSettings: strict),
        .testTarget(name: "FileWatchTests", dependencies: ["FileWatch"], swiftSettings: strict),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: strict),
        .testTarget(name: "CatalogTests", dependencies: ["Catalog", "Shelf", "SQLite"], swiftSettings: strict),
        .executableTarget(
            name: "measure-search", dependencies: ["Catalog", "Shelf"], path: "Tests/SearchMeasurement",
            swiftSettings: strict),
        .target(
            name: "TestHarness", dependencies: ["Threads"], path: "Tests/TestHarness", swiftSettings: strict),
        .testTarget(
            name: "AccountsTests", dependencies: ["Accounts", "Digest", "HTTP", "Log", "TestHarness", "Threads"],
            swiftSettings: strict),
        .testTarget(
            name: "BookFileSystemTests",
            dependencies: [
                "BookFileSystem", "Catalog", "ContentCache", "FUSE", "FileWatch", "Log", "SharedMemory", "Shelf",
                "Threads",
            ],
            swiftSettings: strict),
        .testTarget(name: "DigestTests", dependencies: ["Digest"], swiftSettings: strict),
        .testTarget(name: "HTTPTests", dependencies: ["HTTP", "TestHarness", "Threads"], swiftSettings: strict),
        .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: strict),
        .testTarget(name: "TextFormsTests", dependencies: ["TextForms"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
        .testTarget(name: "XMLTests", dependencies: ["XML"], swiftSettings: strict),
        .testTarget(name: "ArchiveTests", dependencies: ["Archive"], swiftSettings: strict),
        .testTarget(name: "ArgumentsTests", dependencies: ["Arguments"], swiftSettings: strict),
        .testTarget(name: "TerminalTests", dependencies: ["Terminal"], swiftSettings: strict),
        .testTarget(
            name: "CommandLanguageTests",
            dependencies: ["Arguments", "CommandLanguage", "Control", "JSON", "Settings", "Shelf", "Terminal"],
            swiftSettings: strict),
        .testTarget(name: "CommandTests", dependencies: ["bookshelf"], swiftSettings: strict),
        .testTarget(
            name: "ControlTests", dependencies: ["Control", "JSON", "Log", "Shelf", "TestHarness"],
            swiftSettings: strict),
        .testTarget(name: "KeyringTests", dependencies: ["Keyring"], swiftSettings: strict),
        .testTarget(name: "LogTests", dependencies: ["Log"], swiftSettings: strict),
        .testTarget(name: "SettingsTests", dependencies: ["Log", "Settings"], swiftSettings: strict),
        .testTarget(name: "SpellingTests", dependencies: ["Spelling"], swiftSettings: strict),
        .testTarget(name: "SharedMemoryTests", dependencies: ["SharedMemory"], swiftSettings: strict),
        .testTarget(
            name: "ContentCacheTests",
            dependencies: ["ContentCache", "ContentSources", "Digest", "HTTP", "Shelf", "TestHarness", "Threads"],
            swiftSettings: strict),
        // A file system under test is served by a program of its own: a test that looked at a mount which its own process
        // serves could wait for itself.
        .executableTarget(
            name: "fuse-fixture", dependencies: ["FUSE"], path: "Tests/FUSEFixture", swiftSettings: strict),
        .executableTarget(name: "fuse-probe", path: "Tests/FUSEProbe"),
        .testTarget(
            name: "FUSETests", dependencies: ["FUSE", "TestHarness", "fuse-fixture", "fuse-probe"],
            swiftSettings: strict),
        .testTarget(
            name: "ContentSourcesTests", dependencies: ["ContentSources", "SQLite", "Shelf"], swiftSettings: strict),
    ]
)
