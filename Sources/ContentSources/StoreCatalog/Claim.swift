/// What a record says about something that has to be right.
enum Claim<Value> {
    /// Nothing.
    case absent
    case stated(Value)

    /// Something that can't be right; the text ends the sentence “`field` …”.
    case wrong(String)

    var value: Value? {
        if case .stated(let value) = self { value } else { nil }
    }

    var fault: String? {
        if case .wrong(let fault) = self { fault } else { nil }
    }
}
