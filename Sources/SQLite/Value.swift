/// A value bound to a parameter of a statement.
package enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The text, or NULL.
    package static func text(orNull text: String?) -> Value {
        text.map(Value.text) ?? .null
    }

    /// The number, or NULL.
    package static func integer(orNull integer: Int64?) -> Value {
        integer.map(Value.integer) ?? .null
    }

    /// The number, or NULL.
    package static func real(orNull real: Double?) -> Value {
        real.map(Value.real) ?? .null
    }

    /// 1 or 0.
    package static func bool(_ bool: Bool) -> Value {
        .integer(bool ? 1 : 0)
    }
}
