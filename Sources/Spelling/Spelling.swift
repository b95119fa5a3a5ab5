/// The word that was probably meant, for messages about a word that isn't known.
///
/// - Parameters:
///   - word: What was written.
///   - words: What could have been written.
/// - Returns: The word that needs the fewest changes of a character, the first of equals; `nil` if all are too far from it.
package func nearestWord(to word: String, among words: some Sequence<String>) -> String? {
    let written = Array(word.lowercased().unicodeScalars.prefix(64))
    let bound = max(1, written.count / 2)
    var nearest: (word: String, distance: Int)?
    for candidate in words {
        let distance = editDistance(written, Array(candidate.lowercased().unicodeScalars))
        if distance <= bound, distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    return nearest?.word
}

/// How many characters must be put in, taken out, replaced, or swapped with their neighbour.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
        var current = [row + 1]
        for column in right.indices {
            let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
            var best = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                best = min(best, beforeLast[column - 1] + 1)
            }
            current.append(best)
        }
        (beforeLast, last) = (last, current)
    }
    return last[right.count]
}
