import ContentSources
import Foundation
import Shelf
import Testing

@Suite("Descriptions")
struct DescriptionTests {
    @Test(
        "HTML becomes text",
        arguments: [
            ("<p>One</p>\n<p>Two <b>bold</b>  words</p>", "One\nTwo bold words"), ("a<br>b<br/>c<BR />d", "a\nb\nc\nd"),
            ("a<br><br>b", "a\n\nb"), ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"), ("<div>x</div>", "x"),
            ("<h1>T</h1>text", "T\ntext"), ("<script>alert('<p>x</p>')</script>seen", "seen"),
            ("a<style type=\"text/css\">p { color: red }</style>b", "ab"), ("a<!-- <p>no</p> -->b", "ab"),
            ("<!DOCTYPE html><html><head><title>no</title></head><body>yes</body></html>", "yes"),
            ("<a href=\"x>y\">link</a>", "link"), ("<p class='a'>x</p>", "x"), ("x<script>never ended", "x"),
            ("<td>a</td><td>b</td>", "a b"), ("<o:p>word</o:p>", "word"), ("<p>a&nbsp;</p><p>&nbsp;b</p>", "a\nb"),
        ])
    func html(_ source: String, _ expected: String) throws {
        #expect(try text(source) == expected)
    }

    @Test(
        "Character references become characters",
        arguments: [
            ("Tom &amp; Jerry", "Tom & Jerry"), ("&lt;b&gt;", "<b>"), ("&#8217;&#x2019;&#X2019;&rsquo;", "’’’’"),
            ("caf&eacute; &Eacute;", "café É"), ("&#150;&#151;", "–—"),
            ("&#0;&#xD800;&#x110000;&#99999999999;", "����"),
            ("&hellip;&euro;&alpha;&Omega;&hearts;", "…€αΩ♥"), ("&amp;amp;", "&amp;"),
            ("AT&T, R&D; &c. &", "AT&T, R&D; &c. &"),
            ("&nosuch; &#; &#x;", "&nosuch; &#; &#x;"), ("&#65 &#66;", "A B"), ("&quot;&apos;&lt;", "\"'<"),
        ])
    func references(_ source: String, _ expected: String) throws {
        #expect(try text(source) == expected)
    }

    @Test(
        "Plain text stays as it is",
        arguments: [
            "a < b and c > d", "if x<y then y>x", "1 <2", "<3", "John <john@example.org>", "<http://example.org/x>",
            "two\n\nparagraphs  and   blanks", "\ttab inside\tline", "<", "<>", "</", "a <", "红楼梦 <曹雪芹>", "x <- y",
        ])
    func plain(_ source: String) throws {
        #expect(try text(source) == source.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("Line ends of other systems become line feeds")
    func lineEnds() throws {
        #expect(try text("a\r\nb\rc") == "a\nb\nc")
    }

    @Test("A description of nothing but mark-up is none")
    func empty() throws {
        #expect(try text("<p> </p><br/>&nbsp;") == nil)
        #expect(try text("") == nil)
    }

    @Test(
        "Mark-up that never ends takes no time by the square of its length",
        .timeLimit(.minutes(3)), arguments: ["<b ", "<b a=\"", "<!", "<!--", "<script>", "&#", "<b a='x\" "])
    func hostile(_ piece: String) throws {
        let source = String(repeating: piece, count: 300_000 / piece.utf8.count)
        _ = try text(source)
    }

    private func text(_ source: String) throws -> String? {
        let quoted = try #require(String(data: JSONEncoder().encode(source), encoding: .utf8))
        return try Reading.book(#"{"title":"x","description":\#(quoted)}"#)?.description
    }
}
