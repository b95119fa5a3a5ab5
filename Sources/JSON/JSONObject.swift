/// The members of a JSON object, in order.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// No key stands in it twice.
    package private(set) var members: [Member] = []

    package init() {}

    /// Pairs keys, none of which stands twice, with their values.
    init(uniqueKeys keys: [String], values: [JSONValue]) {
        members = zip(keys, values).map { Member(key: $0, value: $1) }
    }

    /// The value of `key`; setting it puts a new key at the end, and `nil` removes the key.
    ///
    /// Costs a search through all members: meant for messages, not for tables.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Keeps the order of the literal; of a key that stands twice the last value wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (key, value) in elements { self[key] = value }
    }
}
