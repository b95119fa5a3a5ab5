package import Arguments
package import Settings

extension Command {
    package static var mount: Command {
        Command(
            "mount", operands: [.mountPoint],
            flags: [.foreground, .mountOptions] + Flag.settings.map(\.flag) + [.replace],
            help: "Show the shelf as files; returns when it can be used.")
    }

    package static var unmount: Command {
        Command(
            "unmount", operands: [.mountPoint], help: "Take the shelf away, also one whose driver has died.")
    }
}

extension Flag {
    package static var foreground: Flag { Flag("-f", help: "Stay in the foreground and log to standard error.") }

    package static var mountOptions: Flag {
        Flag(
            "-o", value: "OPT,...", isRepeatable: true, help: "Options as mount(8) takes them: ro, allow_other, uid=N.")
    }

    package static var layout: Flag {
        Flag("--layout", value: "LAYOUT", help: Setting.layout.help)
    }

    package static var views: Flag {
        Flag(
            "--views", value: "VIEWS", help: "\(Setting.views.help) This version has authors, series and titles.",
            words: Setting.views.words)
    }

    package static var samples: Flag {
        Flag("--samples", value: "SAMPLES", help: Setting.samples.help, words: Setting.samples.words)
    }

    package static var syncInterval: Flag {
        Flag("--sync-interval", value: "TIME", help: "\(Setting.syncInterval.help) \(Setting.syncInterval.range)")
    }

    package static var replace: Flag {
        Flag(
            "--replace",
            help:
                "Put the driver that runs on this version of the program, without unmounting. Options and settings stay those of the mount."
        )
    }

    /// The flags that set something, with what they set.
    static var settings: [(flag: Flag, setting: any SettingDeclaration)] {
        [
            (.layout, Setting.layout), (.views, Setting.views), (.samples, Setting.samples),
            (.syncInterval, Setting.syncInterval),
        ]
    }
}

extension SettingsLayer {
    /// What the flags of a command line set.
    package init(flagsOf invocation: Invocation) {
        self.init(
            entries: Flag.settings.compactMap { flag, setting in
                invocation.value(of: flag).map { text in
                    Entry(name: setting.name, text: text, place: .flag(flag.names.first ?? ""))
                }
            })
    }
}
