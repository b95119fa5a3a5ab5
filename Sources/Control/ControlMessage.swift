package import JSON

/// What the driver says to a command: any number of times how far it is, then an answer or a refusal.
package enum ControlMessage: Hashable, Sendable {
    case progress(ControlProgress)
    case answer(JSONValue)
    case refusal(ControlRefusal)

    /// As it crosses the socket.
    package var json: JSONValue {
        switch self {
        case .progress(let progress): ["progress": progress.json]
        case .answer(let answer): ["answer": answer]
        case .refusal(let refusal): ["refusal": ["reason": .string(refusal.reason)]]
        }
    }

    /// Reads what crossed the socket; `nil` for what isn't a message.
    package init?(_ json: JSONValue) {
        if let progress = json["progress"] {
            self = .progress(ControlProgress(progress))
        } else if let answer = json["answer"] {
            self = .answer(answer)
        } else if let reason = json["refusal"]?["reason"]?.stringValue {
            self = .refusal(ControlRefusal(reason: reason))
        } else {
            return nil
        }
    }
}

/// How far the driver has come with what it was asked.
package struct ControlProgress: Hashable, Sendable {
    package var doneCount = 0

    /// `nil` while nobody knows.
    package var totalCount: Int?
    package var doneByteCount: Int64 = 0
    package var totalByteCount: Int64?

    /// What is worked on, for people: a title, the name of a source.
    package var subject = ""

    package init() {}

    /// As it crosses the socket.
    var json: JSONValue {
        [
            "done": JSONValue(doneCount), "total": JSONValue(totalCount), "doneBytes": JSONValue(doneByteCount),
            "totalBytes": JSONValue(totalByteCount), "subject": .string(subject),
        ]
    }

    /// Reads what crossed the socket; what is missing is 0, unknown or empty.
    init(_ json: JSONValue) {
        doneCount = json["done"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0
        totalCount = json["total"]?.integerValue.flatMap { Int(exactly: $0) }
        doneByteCount = json["doneBytes"]?.integerValue ?? 0
        totalByteCount = json["totalBytes"]?.integerValue
        subject = json["subject"]?.stringValue ?? ""
    }
}

/// Why the driver doesn't do what it was asked.
package struct ControlRefusal: Error, Hashable, Sendable {
    /// What happened and what to do, in one line, without any secret.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }
}
