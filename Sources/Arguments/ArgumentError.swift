/// Why the words of a command line can't be understood.
package enum ArgumentError: Error, Equatable, Sendable {
    case noCommand
    case unknownCommand(String, nearest: String?)

    /// A word that begins several commands stands alone or before a word that continues none of them.
    case incompleteCommand(String, continuations: [String], written: String?)
    case unknownFlag(String, command: String?, nearest: String?)
    case missingValue(flag: String, placeholder: String)
    case unexpectedValue(flag: String)
    case missingOperand(String, command: String)
    case unexpectedOperand(String, command: String)

    /// What is wrong and where to look, in one line.
    ///
    /// - Parameter program: The name of the program.
    /// - Returns: A sentence without its full stop.
    package func reason(program: String) -> String {
        switch self {
        case .noCommand: "name a command; “\(program) help” lists them"
        case .unknownCommand(let word, let nearest):
            "no command is called “\(word)”"
                + (nearest.map { "; did you mean \($0)?" } ?? "; “\(program) help” lists them")
        case .incompleteCommand(let word, let continuations, let written):
            (written.map { "“\(word) \($0)” isn't a command" } ?? "“\(word)” isn't a whole command")
                + "; use \(continuations.joined(separator: ", "))"
        case .unknownFlag(let flag, nil, let nearest):
            "no flag before a command is called \(flag)" + (nearest.map { "; did you mean \($0)?" } ?? "")
        case .unknownFlag(let flag, let command?, let nearest):
            "\(command) has no flag \(flag)"
                + (nearest.map { "; did you mean \($0)?" } ?? "; see “\(program) help \(command)”")
        case .missingValue(let flag, let placeholder): "\(flag) needs a value: \(flag) \(placeholder)"
        case .unexpectedValue(let flag): "\(flag) takes no value"
        case .missingOperand(let name, let command): "\(command) needs \(name); see “\(program) help \(command)”"
        case .unexpectedOperand(let word, let command):
            "\(command) doesn't take “\(word)”; see “\(program) help \(command)”"
        }
    }
}
