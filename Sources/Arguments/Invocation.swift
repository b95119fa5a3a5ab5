/// A command with what was given to it.
package struct Invocation: Sendable {
    package let command: Command
    let operandTexts: [Operand: [String]]
    let flagTexts: [Flag: [String]]

    /// Whether the flag was given.
    package func has(_ flag: Flag) -> Bool {
        flagTexts[flag] != nil
    }

    /// The value given last, or `nil` if the flag wasn't given.
    package func value(of flag: Flag) -> String? {
        flagTexts[flag]?.last
    }

    /// Every value given, in order.
    package func values(of flag: Flag) -> [String] {
        flagTexts[flag] ?? []
    }

    /// The word given for the operand, the first of many; `nil` if it was left out.
    package func word(for operand: Operand) -> String? {
        operandTexts[operand]?.first
    }

    /// Every word given for the operand, in order.
    package func words(for operand: Operand) -> [String] {
        operandTexts[operand] ?? []
    }
}
