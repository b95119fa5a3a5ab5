import Terminal
import Testing

@Suite("Text for a terminal")
struct SafeTextTests {
    @Test(
        "Nothing that a terminal obeys is left",
        arguments: [
            ("\u{1B}]0;owned\u{7}", "�]0;owned�"), ("\u{9B}31m", "�31m"), ("a\u{8}b", "a�b"), ("a\rb\nc\td", "a b c d"),
            ("\u{7F}", "�"),
            ("\u{202E}gnp.epub", "�gnp.epub"), ("\u{2066}x\u{2069}", "�x�"), ("a\u{2028}b", "a�b"), ("\u{FEFF}a", "�a"),
            ("\u{0}", "�"),
            ("a\r\nb", "a  b"), ("\u{E0041}", "�"),
        ])
    func unsafe(_ text: String, _ shown: String) {
        #expect(text.safe == shown)
    }

    @Test(
        "Text of every script stays as it is",
        arguments: ["Oblomov", "红楼梦", "Война и мир", "क्षत्रिय", "می‌خواهم", "👩‍👩‍👧", "e\u{301}", "naïve – “x”", ""])
    func harmless(_ text: String) {
        #expect(text.safe == text)
    }

    @Test(
        "Wide characters take two columns, marks none",
        arguments: [("abc", 3), ("红楼梦", 6), ("e\u{301}", 1), ("한국", 4), ("ｆ", 2), ("👩‍👩‍👧", 2), ("", 0), ("…", 1)])
    func columns(_ text: String, _ count: Int) {
        #expect(text.columnCount == count)
    }

    @Test(
        "A text is cut at a character, with a sign that something is missing",
        arguments: [
            ("Oblomov", 7, "Oblomov"), ("Oblomov", 6, "Oblom…"), ("红楼梦", 5, "红楼…"), ("红楼梦", 4, "红…"), ("ab", 1, "…"),
            ("ab", 0, ""),
        ])
    func fitted(_ text: String, _ limit: Int, _ shown: String) {
        #expect(text.fitted(to: limit) == shown)
        #expect(text.fitted(to: limit).columnCount <= limit)
    }
}
