internal import JSON
internal import Shelf

/// Makes records of the events of a store catalog.
///
/// Invariant: `ignoredDepth` is how many arrays and objects that mean nothing here are open; while it isn't 0, `place`
/// stays.
final class RecordAssembler: JSONHandler {
    /// Where in the document the next event stands.
    private enum Place {
        /// Before the first.
        case start

        /// In the object around everything, behind a key.
        case top(isBooks: Bool)

        /// In the array of books, between records.
        case books
        case record

        /// In the array that is the value of a field.
        case list(RecordField)
        case end
    }

    /// How much of one record is kept, in bytes.
    private static var recordByteLimit: Int { 8 << 20 }

    private let locator: ContentLocator
    private let fields = RecordFieldTable()
    private var place = Place.start
    private var ignoredDepth = 0

    /// Whether an object stands around the array of books.
    private var hasTop = false
    private var hasBooks = false

    /// Of the record under way or the last one, from 1.
    private var number = 0
    private var draft = RecordDraft()
    private var isTooLarge = false

    /// The field whose value comes next; `nil` for one that means nothing here.
    private var field: RecordField?

    /// Takes the records; set while the reader is fed.
    var deliver: ((SourceRecord) throws(SourceError) -> Void)?

    /// What ``deliver`` threw.
    private(set) var failure: SourceError?

    init(_ locator: ContentLocator) {
        self.locator = locator
    }

    // MARK: - Events

    func startObject() throws(JSONStop) {
        if ignore() { return }
        switch place {
        case .start:
            hasTop = true
            place = .top(isBooks: false)
        case .top(let isBooks):
            if isBooks { throw Self.notAnArray }
            ignoredDepth = 1
        case .books:
            number += 1
            draft = RecordDraft()
            isTooLarge = false
            place = .record
        case .record:
            if let field { draft.takeOddity(as: field) }
            ignoredDepth = 1
        case .list, .end: ignoredDepth = 1
        }
    }

    func endObject() throws(JSONStop) {
        if leaveIgnored() { return }
        switch place {
        case .record:
            place = .books
            try finishRecord()
        case .top:
            guard hasBooks else { throw JSONStop(reason: "there is no “books” in the document") }
            place = .end
        default: break
        }
    }

    func startArray() throws(JSONStop) {
        if ignore() { return }
        switch place {
        case .start: place = .books
        case .top(isBooks: true):
            if hasBooks { throw JSONStop(reason: "“books” stands twice in the document") }
            hasBooks = true
            place = .books
        case .record:
            if let field, field.isList {
                draft.forget(field)
                place = .list(field)
            } else {
                if let field { draft.takeOddity(as: field) }
                ignoredDepth = 1
            }
        case .books:
            try skipNoRecord()
            ignoredDepth = 1
        case .top, .list, .end: ignoredDepth = 1
        }
    }

    func endArray() {
        if leaveIgnored() { return }
        switch place {
        case .list: place = .record
        case .books: place = hasTop ? .top(isBooks: false) : .end
        default: break
        }
    }

    func key(_ bytes: Span<UInt8>) {
        guard ignoredDepth == 0 else { return }
        switch place {
        case .top: place = .top(isBooks: bytes.isEqual(to: "books"))
        case .record: field = fields.field(named: bytes)
        default: break
        }
    }

    func string(_ bytes: Span<UInt8>) throws(JSONStop) {
        if ignoredDepth == 0 { try takeText(bytes, isNumber: false) }
    }

    func number(_ text: Span<UInt8>) throws(JSONStop) {
        if ignoredDepth == 0 { try takeText(text, isNumber: true) }
    }

    func boolean(_ value: Bool) throws(JSONStop) {
        guard ignoredDepth == 0 else { return }
        if case .record = place {
            if let field { draft.take(value, as: field) }
        } else {
            try takeScalar()
        }
    }

    func null() throws(JSONStop) {
        guard ignoredDepth == 0 else { return }
        if case .record = place {
            if let field { draft.forget(field) }
        } else {
            try takeScalar()
        }
    }

    // MARK: - Parts

    private static var notAnArray: JSONStop { JSONStop(reason: "“books” isn't an array") }

    /// Counts an array or object that begins within an ignored one.
    private func ignore() -> Bool {
        guard ignoredDepth > 0 else { return false }
        ignoredDepth += 1
        return true
    }

    private func leaveIgnored() -> Bool {
        guard ignoredDepth > 0 else { return false }
        ignoredDepth -= 1
        return true
    }

    private func takeText(_ bytes: Span<UInt8>, isNumber: Bool) throws(JSONStop) {
        switch place {
        case .record:
            guard let field, !isTooLarge else { return }
            // A value of its own takes the place of those that came under the same key before.
            if field.isList { draft.forget(field) }
            take(bytes, as: field, isNumber)
        case .list(let field):
            if !isTooLarge { take(bytes, as: field, isNumber) }
        default: try takeScalar()
        }
    }

    private func take(_ bytes: Span<UInt8>, as field: RecordField, _ isNumber: Bool) {
        draft.take(bytes, as: field, isNumber: isNumber)
        guard draft.keptByteCount > Self.recordByteLimit else { return }
        isTooLarge = true
        let (id, title) = (draft.id, draft.title)
        draft = RecordDraft()
        (draft.id, draft.title) = (id, title)
    }

    /// Takes a value that isn't an object or array where a field can't be.
    private func takeScalar() throws(JSONStop) {
        switch place {
        case .start: throw JSONStop(reason: "the document is neither an array of books nor an object with “books”")
        case .top(isBooks: true): throw Self.notAnArray
        case .books: try skipNoRecord()
        default: break
        }
    }

    private func skipNoRecord() throws(JSONStop) {
        number += 1
        try hand(.skipped(SkippedRecord(number: number, key: nil, reason: "the record isn't an object")))
    }

    private func finishRecord() throws(JSONStop) {
        if isTooLarge {
            let reason = "the record is larger than \(Self.recordByteLimit >> 20) MiB"
            try hand(.skipped(SkippedRecord(number: number, key: draft.id.value, reason: reason)))
        } else {
            try hand(draft.record(number: number, locator: locator))
        }
    }

    private func hand(_ record: SourceRecord) throws(JSONStop) {
        do throws(SourceError) {
            try deliver?(record)
        } catch {
            failure = error
            throw JSONStop(reason: error.reason)
        }
    }
}

extension Span<UInt8> {
    fileprivate func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where unsafe self[index] != text.utf8Start[index] { return false }
        return true
    }
}
