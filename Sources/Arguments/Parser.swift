internal import Spelling

/// The state of understanding one command line.
struct Parser {
    let program: Program

    /// What wasn't looked at yet.
    var words: ArraySlice<String>
    private var command: Command?

    /// The first word of a command of two, until the second has come.
    private var group: String?
    private var operandWords: [String] = []
    private var flagTexts: [Flag: [String]] = [:]

    init(program: Program, words: ArraySlice<String>) {
        self.program = program
        self.words = words
    }

    mutating func parse() throws(ArgumentError) -> Program.Request {
        while let word = words.popFirst() {
            if word == "--" {
                while let operand = words.popFirst() { try takeWord(operand) }
            } else if word.hasPrefix("--") {
                try takeLongFlag(word)
            } else if word.hasPrefix("-"), word != "-" {
                try takeShortFlags(word)
            } else {
                try takeWord(word)
            }
            if flagTexts[Program.helpFlag] != nil { return .help(try explained()) }
        }
        if flagTexts[Program.versionFlag] != nil { return .version }
        guard let command else {
            if let group { throw .incompleteCommand(group, continuations: names(in: group), written: nil) }
            throw .noCommand
        }
        if command == Program.helpCommand { return .help(try commands(beginningWith: operandWords)) }
        return .run(Invocation(command: command, operandTexts: try operands(of: command), flagTexts: flagTexts))
    }

    /// What `--help` is about: the command so far, and what directly follows of its name.
    private mutating func explained() throws(ArgumentError) -> [Command] {
        while command == nil, let word = words.popFirst(), !word.hasPrefix("-") { try takeWord(word) }
        if let command { return [command] }
        return group.map { commands(in: $0) } ?? program.commands
    }

    // MARK: Flags

    private mutating func takeLongFlag(_ word: String) throws(ArgumentError) {
        let name = String(word.prefix { $0 != "=" })
        let flag = try flag(named: name)
        if name.count < word.count {
            guard flag.placeholder != nil else { throw .unexpectedValue(flag: name) }
            add(String(word.dropFirst(name.count + 1)), to: flag)
        } else {
            add(try valueFromNextWord(of: flag, written: name), to: flag)
        }
    }

    private mutating func takeShortFlags(_ word: String) throws(ArgumentError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            let flag = try flag(named: name)
            if flag.placeholder != nil, !letters.isEmpty {
                add(String(letters), to: flag)
                return
            }
            add(try valueFromNextWord(of: flag, written: name), to: flag)
        }
    }

    private func flag(named name: String) throws(ArgumentError) -> Flag {
        let known = (command?.flags ?? []) + program.flags
        if let flag = known.first(where: { $0.names.contains(name) }) { return flag }
        throw .unknownFlag(
            name, command: command?.name,
            nearest: name.count > 2 ? nearestWord(to: name, among: known.flatMap(\.names)) : nil)
    }

    private mutating func valueFromNextWord(of flag: Flag, written name: String) throws(ArgumentError) -> String {
        guard let placeholder = flag.placeholder else { return "" }
        guard let value = words.popFirst() else { throw .missingValue(flag: name, placeholder: placeholder) }
        return value
    }

    private mutating func add(_ text: String, to flag: Flag) {
        flagTexts[flag, default: []].append(text)
    }

    // MARK: Words

    private mutating func takeWord(_ word: String) throws(ArgumentError) {
        guard command == nil else { return operandWords.append(word) }
        if let group {
            guard let whole = commands(in: group).first(where: { $0.words.last == word }) else {
                throw .incompleteCommand(group, continuations: names(in: group), written: word)
            }
            return command = whole
        }
        guard let first = commands(in: word).first else {
            let names = Set(program.commands.compactMap(\.words.first)).sorted()
            throw .unknownCommand(word, nearest: nearestWord(to: word, among: names))
        }
        if first.words.count > 1 { group = word } else { command = first }
    }

    private func commands(in group: String) -> [Command] {
        program.commands.filter { $0.words.first == group }
    }

    private func names(in group: String) -> [String] {
        commands(in: group).map(\.name)
    }

    private func commands(beginningWith words: [String]) throws(ArgumentError) -> [Command] {
        guard let first = words.first else { return program.commands }
        let found = program.commands.filter { $0.words.starts(with: words) }
        if !found.isEmpty { return found }
        let names = Set(program.commands.map(\.name) + program.commands.compactMap(\.words.first)).sorted()
        throw .unknownCommand(
            words.joined(separator: " "),
            nearest: nearestWord(to: words.joined(separator: " "), among: names) ?? nearestWord(to: first, among: names)
        )
    }

    /// Deals the words to the operands: what follows an operand of many words is taken from the end.
    private func operands(of command: Command) throws(ArgumentError) -> [Operand: [String]] {
        var rest = operandWords[...]
        var texts: [Operand: [String]] = [:]
        for (index, operand) in command.operands.enumerated() {
            let laterCount = operand.count == .one ? 0 : command.operands[(index + 1)...].count { $0.count.isRequired }
            let availableCount = max(0, rest.count - laterCount)
            let taken = operand.count.isMany ? availableCount : min(1, availableCount)
            if taken == 0 {
                if operand.count.isRequired { throw .missingOperand(operand.name, command: command.name) }
                continue
            }
            texts[operand] = Array(rest.prefix(taken))
            rest = rest.dropFirst(taken)
        }
        if let word = rest.first { throw .unexpectedOperand(word, command: command.name) }
        return texts
    }
}
