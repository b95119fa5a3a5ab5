import Foundation
import Testing
import TextForms

@Suite("Forms of text")
struct FormsTests {
    /// Every scalar that can stand in a `String`.
    private static let scalars = (UInt32(1)...0x10FFFF).compactMap(Unicode.Scalar.init)

    @Test(
        "NFC composes what can be composed",
        arguments: [
            ("Cafe\u{301}", "Café"), ("\u{1112}\u{1161}\u{11AB}", "한"), ("가\u{11A8}", "각"), ("が", "が"),
            ("か\u{3099}", "が"),
            ("\u{212B}", "Å"), ("q\u{323}\u{307}", "q\u{323}\u{307}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
            ("", ""), ("1984", "1984"), ("红楼梦", "红楼梦"), ("\u{F900}", "\u{8C48}"), ("🙂", "🙂"),
        ])
    func composes(_ text: String, _ expected: String) {
        #expect(Array(text.inNFC.utf8) == Array(expected.utf8))
    }

    @Test("NFC of every single character is what another implementation makes of it")
    func agreesOnEveryScalar() {
        var differing: [String] = []
        for scalar in Self.scalars {
            let text = String(scalar)
            // Foundation's tables may be of a later Unicode; a character that it alone knows is no difference.
            guard scalar.properties.generalCategory != .unassigned else { continue }
            if Array(text.inNFC.utf8) != Array(text.precomposedStringWithCanonicalMapping.utf8) {
                differing.append("U+" + String(scalar.value, radix: 16))
            }
        }
        #expect(differing == [])
    }

    @Test("A character after a letter is composed wherever another implementation composes it")
    func agreesOnEveryPair() {
        var differing: [String] = []
        // Foundation leaves a final consonant after a whole syllable alone, against the standard: tested above.
        let finals: ClosedRange<UInt32> = 0x11A7...0x11C2
        let marks = Self.scalars.filter {
            !finals.contains($0.value)
                && ($0.value < 0x1200 || $0.properties.canonicalCombiningClass != .notReordered)
                && $0.properties.generalCategory != .unassigned
        }
        for scalar in marks {
            for base in ["e", "가", "か", "Ж", "漢"] {
                let text = base + String(scalar)
                if Array(text.inNFC.utf8) != Array(text.precomposedStringWithCanonicalMapping.utf8) {
                    differing.append("\(base) U+" + String(scalar.value, radix: 16))
                }
            }
        }
        #expect(differing == [])
    }

    @Test(
        "Texts that differ in case or in form compare as one",
        arguments: [
            ("Fiction", "FICTION"), ("Straße", "STRASSE"), ("ÉTÉ", "e\u{301}te\u{301}"), ("ΟΔΟΣ", "οδος"),
            ("Война и мир", "ВОЙНА И МИР"), ("Ａ", "ａ"), ("\u{1E9E}", "ss"), ("ﬁn", "FIN"), ("红楼梦 VOL. 1", "红楼梦 vol. 1"),
            ("\u{3B1}\u{345}\u{301}", "\u{3B1}\u{301}\u{345}"), ("İ", "i\u{307}"), ("한Ａ", "\u{1112}\u{1161}\u{11AB}ａ"),
        ])
    func foldsAlike(_ one: String, _ other: String) {
        #expect(Array(one.foldedForComparison.utf8) == Array(other.foldedForComparison.utf8))
    }

    @Test(
        "Texts that differ otherwise stay apart", arguments: [("Resume", "Résumé"), ("か", "カ"), ("A", "Ａ"), ("红", "紅")])
    func keepsApart(_ one: String, _ other: String) {
        #expect(one.foldedForComparison != other.foldedForComparison)
    }

    @Test("The quick way folds every character as the tables do")
    func foldsEveryScalar() {
        var differing: [String] = []
        for scalar in Self.scalars {
            // A private-use character in front sends the text through the tables.
            let slow = ("\u{E000}" + String(scalar)).foldedForComparison.unicodeScalars.dropFirst()
            if !String(scalar).foldedForComparison.unicodeScalars.elementsEqual(slow) {
                // What begins with a combining mark may be ordered differently after another character.
                guard scalar.properties.canonicalCombiningClass == .notReordered else { continue }
                differing.append("U+" + String(scalar.value, radix: 16))
            }
        }
        #expect(differing == [])
    }

    @Test("Folding twice changes nothing more")
    func foldingIsIdempotent() {
        let differing = Self.scalars.filter { scalar in
            let once = String(scalar).foldedForComparison
            return Array(once.foldedForComparison.utf8) != Array(once.utf8)
        }
        #expect(differing.map { String($0.value, radix: 16) } == [])
    }

    @Test("A NUL inside a text is kept", arguments: ["a\0B", "e\u{301}\0É"])
    func keepsNUL(_ text: String) {
        #expect(text.inNFC.utf8.contains(0))
        #expect(text.foldedForComparison.utf8.contains(0))
    }
}
