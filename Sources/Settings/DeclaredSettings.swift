package import Log

/// When books of which only a sample is there are shown.
package enum SampleVisibility: String, CaseIterable, Sendable {
    /// While nothing is purchased.
    case auto
    case always
    case never
}

/// Whether something optional is used.
package enum Use: String, CaseIterable, Sendable {
    case on
    case off
}

extension Setting<String> {
    package static var layout: Setting {
        Setting(
            "layout", .text("the name of a layout or a template"), default: "category",
            help:
                "How books are arranged: category, author, series, flat, kavita, komga, or a template such as {author_sort}/{series}/{series_index:02} {title}."
        )
    }

    package static var categorySource: Setting {
        Setting(
            "category-from", .text("tags, series, publisher, or a column such as #genre", maximumByteCount: 100),
            default: "tags", help: "What of a Calibre library makes the categories.")
    }

    package static var objectStorageEndpoint: Setting {
        Setting(
            "s3.endpoint", .text("the URL of a server, or default for that of Amazon"), default: "default",
            help: "Which server has the objects that s3 URLs name.")
    }

    package static var objectStorageRegion: Setting {
        Setting(
            "s3.region", .text("the name of a region", maximumByteCount: 64), default: "us-east-1",
            help: "The region of that server, as part of what requests are signed with.")
    }
}

extension Setting<[String]> {
    package static var views: Setting {
        Setting(
            "views",
            .list("any of these views", of: ["authors", "series", "titles", "recent", "added", "downloaded"]),
            default: [], help: "Which further arrangements stand beside the layout.")
    }

    package static var deniedPrograms: Setting {
        Setting(
            "materialise.deny", .list("names of programs"),
            default: [
                // Thumbnailers of GNOME and its relatives, of Xfce and of KDE.
                "gnome-epub-thumbnailer", "gnome-mobi-thumbnailer", "evince-thumbnailer", "papers-thumbnailer",
                "atril-thumbnailer", "xreader-thumbnailer", "gsf-office-thumbnailer", "gdk-pixbuf-thumbnailer",
                "totem-video-thumbnailer", "ffmpegthumbnailer", "tumblerd", "thumbnail.so",
                // Their indexers.
                "tracker-extract", "tracker-extract-3", "tracker-miner-fs", "tracker-miner-fs-3", "localsearch-3",
                "localsearch-extractor-3", "baloo_file", "baloo_file_extractor", "updatedb", "updatedb.plocate",
                "updatedb.mlocate",
            ],
            help: "Programs that never cause a download: they read what is on disk and are refused the rest.")
    }
}

extension Setting<SampleVisibility> {
    package static var samples: Setting {
        Setting(
            "samples", .choice, default: .auto,
            help: "Whether samples are shown: auto shows them while nothing is purchased.")
    }
}

extension Setting<Bool> {
    package static var splitsCategories: Setting {
        Setting(
            "split-categories", .yesOrNo, default: false,
            help: "Whether a nested category such as Fiction / Crime becomes nested directories.")
    }

    package static var cachesLocalFiles: Setting {
        Setting(
            "cache.local", .yesOrNo, default: true,
            help:
                "Whether content that a file catalog names on this machine is copied to the cache, rather than served in place."
        )
    }

    package static var thumbnails: Setting {
        Setting(
            "thumbnails", .yesOrNo, default: true,
            help: "Whether covers are put where file managers look for thumbnails.")
    }
}

extension Setting<Duration> {
    package static var syncInterval: Setting {
        Setting(
            "sync.interval", .duration(in: .seconds(1) ... .seconds(30 * 86_400)), default: .seconds(900),
            help: "How often a mounted shelf asks its sources for changes.")
    }

    package static var connectTimeout: Setting {
        Setting(
            "connect.timeout", .duration(in: .milliseconds(100) ... .seconds(600)), default: .seconds(15),
            help: "How long a connection to a source may take to come about.")
    }

    package static var stallTimeout: Setting {
        Setting(
            "stall.timeout", .duration(in: .milliseconds(100) ... .seconds(3600)), default: .seconds(60),
            help: "How long a transfer may go without a byte.")
    }

    package static var readDeadline: Setting {
        Setting(
            "read.deadline", .duration(in: .milliseconds(100) ... .seconds(3600)), default: .seconds(60),
            help: "How long a program that reads a book waits for content that isn't on disk.")
    }
}

extension Setting<Int> {
    package static var fetchConnections: Setting {
        Setting(
            "fetch.connections", .integer(in: 1...64), default: 6,
            help: "How many transfers run at a time for each source.")
    }
}

extension Setting<String?> {
    package static var cacheDirectory: Setting {
        Setting("cache.directory", .path, default: nil, help: "Where content is kept that was brought from sources.")
    }

    package static var logFile: Setting {
        Setting("log.file", .path, default: nil, help: "Where the log is written.")
    }
}

extension Setting<SizeLimit> {
    package static var cacheMaximumSize: Setting {
        Setting(
            "cache.max-size", .sizeLimit, default: SizeLimit(byteCount: 10 << 30, percentage: 70),
            help:
                "How much room the cache may take; a percentage is of the free space. What wasn't read for longest goes first."
        )
    }
}

extension Setting<Duration?> {
    package static var cacheMaximumAge: Setting {
        Setting(
            "cache.max-age", .durationOrNone(in: .seconds(60) ... .seconds(3660 * 86_400)), default: nil,
            help: "After how long without being read content leaves the cache.")
    }
}

extension Setting<Use> {
    package static var passthrough: Setting {
        Setting(
            "passthrough", .choice, default: .off,
            help: "Whether the kernel reads whole books from the cache without asking the driver; needs root.")
    }
}

extension Setting<LogLevel> {
    package static var logLevel: Setting<LogLevel> {
        Setting("log.level", .choice, default: .info, help: "Which events are logged.")
    }
}

extension Settings {
    /// Every setting, in the order in which they are listed and explained.
    package static var declarations: [any SettingDeclaration] {
        [
            Setting.layout, Setting.views, Setting.samples, Setting.splitsCategories, Setting.categorySource,
            Setting.syncInterval, Setting.connectTimeout, Setting.stallTimeout, Setting.readDeadline,
            Setting.fetchConnections, Setting.objectStorageEndpoint, Setting.objectStorageRegion,
            Setting.cacheDirectory, Setting.cacheMaximumSize, Setting.cacheMaximumAge,
            Setting.cachesLocalFiles, Setting.deniedPrograms, Setting.passthrough, Setting.thumbnails,
            Setting.logLevel, Setting.logFile,
        ]
    }

    /// The setting of that name, or `nil`.
    package static func declaration(named name: String) -> (any SettingDeclaration)? {
        declarations.first { $0.name == name }
    }
}
