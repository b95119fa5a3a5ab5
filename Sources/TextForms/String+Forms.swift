internal import CUtf8proc
internal import Glibc

extension String {
    /// This text in Normalisation Form C: the form in which names are shown and stored.
    ///
    /// Costs one pass over the bytes, and neither a copy nor a call of C, for text that can't be in another form:
    /// Latin, Cyrillic, kana, Hangul syllables, unified Han characters and their punctuation.
    ///
    /// Unicode: <https://www.unicode.org/reports/tr15/>. The corresponding C function is `utf8proc_map`.
    package var inNFC: String {
        TextScan(self).isSurelyNFC ? self : mapped(by: [UTF8PROC_STABLE, UTF8PROC_COMPOSE])
    }

    /// The form by which names and categories are compared: NFC of the full case folding.
    ///
    /// Texts that are canonically equivalent, or differ in case only, have the same form byte for byte. It depends on
    /// no language: `I` becomes `i` and `ß` becomes `ss` everywhere. Not for showing.
    ///
    /// Unicode: chapter 3.13, default caseless matching. The corresponding C function is `utf8proc_map`.
    package var foldedForComparison: String {
        let scan = TextScan(self)
        if scan.isFoldedSimply { return scan.mayHaveCapitals ? SimpleFolding.fold(self) : self }
        // Normalised first, so that canonically equivalent texts fold from the same beginning.
        let composed = scan.isSurelyNFC ? self : mapped(by: [UTF8PROC_STABLE, UTF8PROC_COMPOSE])
        return composed.mapped(by: [UTF8PROC_STABLE, UTF8PROC_COMPOSE, UTF8PROC_CASEFOLD])
    }

    /// This text as utf8proc makes it; unchanged where no memory can be had.
    func mapped(by options: [utf8proc_option_t]) -> String {
        let flags = options.reduce(0) { $0 | $1.rawValue }
        var result: UnsafeMutablePointer<utf8proc_uint8_t>?
        var text = self
        let count = text.withUTF8 { bytes in
            unsafe utf8proc_map(bytes.baseAddress, bytes.count, &result, utf8proc_option_t(flags))
        }
        guard count >= 0, let result = unsafe result else { return self }
        defer { unsafe free(result) }
        return unsafe String(decoding: UnsafeBufferPointer(start: result, count: count), as: UTF8.self)
    }
}
