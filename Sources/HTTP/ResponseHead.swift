/// What a server says before the body.
package struct ResponseHead: Sendable, Hashable {
    /// A header field of a response.
    package struct Field: Sendable, Hashable {
        /// In lower case.
        package let name: String

        /// Without blanks around it.
        package let value: String
    }

    /// The status of the response after all redirects; 200 for a `file:` URL.
    package let status: Int

    /// In the order of the response.
    package let fields: [Field]

    /// Where the response came from, after all redirects; without user name and password.
    package let effectiveURL: String

    /// Of the body as it arrives, in bytes; `nil` where the server doesn't say or compresses.
    package let contentByteCount: Int64?

    /// Whether the body arrives in an encoding that is taken off.
    package let isEncoded: Bool

    /// The first field of that name, which is in lower case.
    package subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The type of the body without parameters, in lower case.
    package var mediaType: String? {
        guard let value = self["content-type"]?.split(separator: ";", omittingEmptySubsequences: false).first else {
            return nil
        }
        let type = value.filter { $0 != " " && $0 != "\t" }.lowercased()
        return type.isEmpty ? nil : type
    }
}
