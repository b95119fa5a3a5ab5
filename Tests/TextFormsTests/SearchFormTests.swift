import Foundation
import Testing
import TextForms

@Suite("Form for searching")
struct SearchFormTests {
    @Test(
        "Case, accents and width don't count, in any script",
        arguments: [
            ("Crème BRÛLÉE", "creme brulee"), ("Cafe\u{301}", "cafe"),
            ("Łódź Ørsted Æon Œuvre Đorđe", "lodz orsted aeon oeuvre dorde"),
            ("STRASSE Straße", "strasse strasse"), ("İstanbul ISPARTA ılık", "istanbul isparta ilik"),
            ("Tiếng Việt", "tieng viet"),
            ("ＡＢＣ１２３", "abc123"), ("ﬁnal ½ ① №", "final 1\u{2044}2 1 no"), ("Acme™ Co℠", "acme  co "),
            ("ΟΔΥΣΣΕΎΣ Οδυσσεύς", "οδυσσευσ οδυσσευσ"), ("Ёлка Йод", "елка иод"),
            ("أَحْمَد إلى آخر", "احمد الي اخر"), ("کتاب می\u{200C}خواهم", "كتاب ميخواهم"), ("כָּתוּב", "כתוב"),
            ("हिन्दी", "हिन्दी"), ("ภาษาไทย", "ภาษาไทย"), ("ｶﾞｷﾞｸﾞ ｱｲｳ", "ガギグ アイウ"), ("か\u{3099}", "が"),
            ("\u{1112}\u{1161}\u{11AB}글", "한글"), ("红楼梦", "红楼梦"), ("\u{F900}", "\u{8C48}"), ("𠮷野家", "𠮷野家"),
            ("👍🏽 ❤️ 👩‍💻", "👍 ❤ 👩💻"), ("soft\u{AD}hyphen", "softhyphen"), ("", ""), ("1984", "1984"),
        ])
    func folds(_ text: String, _ expected: String) {
        #expect(Array(text.foldedForSearch.utf8) == Array(expected.utf8), "\(text.foldedForSearch)")
    }

    @Test("What has the form keeps it, for every single character")
    func isStable() {
        var differing: [String] = []
        for value in UInt32(1)...0x2FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = String(scalar).foldedForSearch
            if Array(once.foldedForSearch.utf8) != Array(once.utf8) { differing.append(String(value, radix: 16)) }
        }
        #expect(differing == [])
    }

    @Test("The short way through plain text is the long way, for every character that takes it")
    func shortWay() {
        // With an accent behind it, the text can't take the short way.
        let accent = "\u{301}"
        var differing: [String] = []
        for value in UInt32(0x20)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let short = String(scalar).foldedForSearch.searchUnits.map(\.text)
            let long = (String(scalar) + " x" + accent).foldedForSearch.searchUnits.map(\.text)
            if short + ["x"] != long { differing.append(String(value, radix: 16)) }
        }
        #expect(differing == [])
    }

    @Test(
        "Words, characters of scripts without spaces, and emoji are told apart",
        arguments: [
            ("the art of war", ["the", "art", "of", "war"]),
            ("o'reilly—spider-man!", ["o", "reilly", "spider", "man"]),
            ("三体 iii", ["三", "体", "iii"]), ("c语言", ["c", "语", "言"]), ("𠮷野", ["𠮷", "野"]),
            ("カタカナー", ["カ", "タ", "カ", "ナ", "ー"]), ("한글 책", ["한", "글", "책"]), ("人々", ["人", "々"]),
            ("ไทย", ["ไ", "ท", "ย"]), ("हिन्दी किताब", ["हिन्दी", "किताब"]), ("كتاب جديد", ["كتاب", "جديد"]),
            ("👩💻 i❤you", ["👩", "💻", "i", "❤", "you"]), ("🇫🇷", ["🇫", "🇷"]), ("\"AND (NOT) *^:", ["and", "not"]),
            ("…, ，。「」", []), ("3.14", ["3", "14"]), ("1\u{2044}2", ["1", "2"]),
        ])
    func units(_ text: String, _ expected: [String]) {
        #expect(text.foldedForSearch.searchUnits.map(\.text) == expected)
    }

    @Test("Units with nothing in between are attached, and no others")
    func attachment() {
        #expect("c语言 三体-x".foldedForSearch.searchUnits.map(\.isAttached) == [false, true, true, false, true, false])
    }

    @Test("Of a very long word the beginning counts, cut between characters")
    func longWords() {
        let units = (String(repeating: "é", count: 3) + String(repeating: "я", count: 1_000) + " end").foldedForSearch
            .searchUnits
        #expect(units.map(\.text) == ["eee" + String(repeating: "я", count: 46), "end"])
        #expect(units[1].isAttached == false)
    }
}
