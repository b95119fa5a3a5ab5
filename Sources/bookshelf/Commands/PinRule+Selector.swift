internal import Catalog
internal import CommandLanguage

extension Selector {
    /// What it means for books that come later; `nil` if it means only those that are there.
    var pinRule: PinRule? {
        switch self {
        case .category(let name): PinRule(.category, name)
        case .author(let name): PinRule(.author, name)
        case .series(let name): PinRule(.series, name)
        case .all: PinRule(.all)
        case .path, .id, .search: nil
        }
    }
}

extension PinRule {
    var words: String {
        switch kind {
        case .all: "the shelf"
        case .category, .author, .series: "\(kind.rawValue) “\(name)”"
        }
    }
}
