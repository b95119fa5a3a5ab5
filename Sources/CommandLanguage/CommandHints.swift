internal import Arguments
package import Settings

/// Makes the commands that texts tell people to type be about the profile at hand.
///
/// What finds a fault knows no profiles and writes `bookshelf sync`; typed as it is, that would be about the default one.
package struct CommandHints: Sendable {
    /// What goes behind the program's name; empty for the profile of whoever names none.
    private let insertion: String

    /// The words with which commands begin.
    private let commands: Set<String>

    private static var program: String { "bookshelf " }

    package init(profile: ProfileName) {
        insertion = profile == .standard ? "" : "--profile \(profile.text) "
        let commands = Program.bookshelf(version: "").commands.filter { $0 != Program.helpCommand }
        self.commands = Set(commands.map { String($0.name.prefix { $0 != " " }) })
    }

    /// The text with the profile in each command that it tells to type.
    ///
    /// What stands between “ and ” is somebody else's word, such as a title, and stays.
    package func completed(_ text: String) -> String {
        guard !insertion.isEmpty else { return text }
        var result = ""
        var rest = text[...]
        var isQuoted = false
        while let character = rest.first {
            let isWhole = result.last.map { " `(".contains($0) } ?? true
            if !isQuoted, isWhole, rest.hasPrefix(Self.program) {
                let behind = rest.dropFirst(Self.program.count)
                result += Self.program
                if commands.contains(String(behind.prefix { $0.isLetter })) { result += insertion }
                rest = behind
                continue
            }
            if character == "“" { isQuoted = true } else if character == "”" { isQuoted = false }
            result.append(character)
            rest.removeFirst()
        }
        return result
    }

    package func completed(_ failure: Failure) -> Failure {
        Failure(exitStatus: failure.exitStatus, message: completed(failure.message))
    }

    package func completed(_ error: StatusReport.ReadError) -> StatusReport.ReadError {
        StatusReport.ReadError(
            book: error.book, path: error.path, symbol: error.symbol, reason: completed(error.reason),
            advice: completed(error.advice), at: error.at)
    }
}
