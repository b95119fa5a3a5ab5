/// One thing that can be set: declared once, and read, explained and completed from that declaration.
package struct Setting<Value: Sendable>: Sendable {
    /// As files write it, for example `read.deadline`.
    package let name: String
    package let type: SettingType<Value>
    package let defaultValue: Value

    /// What it does, in a sentence or two.
    package let help: String

    init(_ name: String, _ type: SettingType<Value>, default defaultValue: Value, help: String) {
        self.name = name
        self.type = type
        self.defaultValue = defaultValue
        self.help = help
    }
}

/// A setting whatever its type, for lists of all of them.
package protocol SettingDeclaration: Sendable {
    /// As files write it.
    var name: String { get }

    /// What it does.
    var help: String { get }

    /// What it takes, as the end of a sentence that begins “must be”.
    var allowed: String { get }

    /// The words that it takes, where there are only some.
    var words: [String] { get }

    /// The default as files would write it.
    var defaultText: String { get }

    /// Reads a text: the value and its canonical text, or `nil` if the setting doesn't take it.
    func read(_ text: String) -> (value: any Sendable, text: String)?
}

extension SettingDeclaration {
    /// The variable of the environment: `BOOKSHELF_` and the name in capitals with `_` for `.` and `-`.
    package var environmentName: String {
        "BOOKSHELF_" + String(name.uppercased().map { ".-".contains($0) ? "_" : $0 })
    }
}

extension SettingDeclaration {
    /// What it takes, as a sentence for help.
    package var range: String {
        (allowed.first?.uppercased() ?? "") + allowed.dropFirst() + "."
    }
}

extension Setting: SettingDeclaration {
    package var allowed: String { type.allowed }
    package var words: [String] { type.words }
    package var defaultText: String { type.render(defaultValue) }

    package func read(_ text: String) -> (value: any Sendable, text: String)? {
        type.parse(text).map { ($0, type.render($0)) }
    }
}
