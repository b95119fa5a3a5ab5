/// Whether the catalog that is served is the one that commands change.
package enum CatalogStanding: Sendable, Hashable {
    case inPlace

    /// Its file has gone: nothing changes any more.
    case missing

    /// Another file stands in its place.
    case replaced
}
