import ContentSources
import Foundation
import Shelf
import Testing

@Suite(
    "OPDS documents of other programs",
    .enabled(if: Corpus.isThere, "needs the corpus: BOOKSHELF_TEST_CORPUS, or ../shared/corpus"))
struct FeedCorpusTests {
    @Test(
        "Each document is read as was found right by hand, or refused with a reason, and leads nowhere that it doesn't name"
    )
    func documents() throws {
        let expected = try Dictionary(
            uniqueKeysWithValues: Self.table.split(separator: "\n").map { line in
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                return try (#require(words.first), #require(words.last))
            })
        for file in try Corpus.files("opds") where file != "index.tsv" {
            let bytes = try Corpus.bytes("opds", file)
            #expect(outcome(of: bytes, named: file) == expected[file], "\(file)")
        }
    }

    @Test("What is broken in other ways is refused, and nothing crashes", arguments: ["broken", "json"])
    func broken(_ part: String) throws {
        for file in try Corpus.files(part) {
            #expect(outcome(of: try Corpus.bytes(part, file), named: file) == "refused", "\(file)")
        }
    }

    @Test("Each document that is cut off anywhere is refused, or says less")
    func cutOff() throws {
        for file in try Corpus.files("opds") where file != "index.tsv" {
            let bytes = try Corpus.bytes("opds", file)
            for part in 1..<8 {
                let cut = Array(bytes[..<(bytes.count * part / 8)])
                let ending = outcome(of: cut, named: file)
                // What isn't whole can't be read to its end; a login is refused just as well.
                #expect(ending == "refused" || bytes.isEmpty, "\(file), \(cut.count) bytes")
            }
        }
    }

    /// How many books a document has, how many of them with content, purchased, samples.
    private func outcome(of bytes: [UInt8], named file: String) -> String {
        let start = "https://catalog.example/feeds/\(file)"
        let pages = FeedPages(bytes: [start: bytes])
        pages.otherwise = Array("<feed xmlns='http://www.w3.org/2005/Atom'/>".utf8)
        do throws(SourceError) {
            let books = try pages.walk(start).books
            let text = String(decoding: bytes, as: UTF8.self)
            for url in pages.requests.dropFirst() {
                // A relative link has at least its last part in the document.
                let last = url.split(separator: "/").last.map(String.init) ?? url
                #expect(text.contains(last) || text.replacing("&amp;", with: "&").contains(last), "\(url)")
            }
            let counts = [
                books.count, books.count { $0.content != nil }, books.count { $0.isPurchased },
                books.count { $0.isSample },
            ]
            return counts.map(String.init).joined(separator: " ")
        } catch {
            #expect(!error.reason.isEmpty)
            if case .denied = error { return "login" }
            return "refused"
        }
    }

    /// The file, and its books, those with content, those purchased, samples.
    private static let table = """
        calibre613-opds-1.xml 0 0 0 0
        calibre613-opds_navcatalog_4e2367656e7265_library_id_calibre_library-7.xml 0 0 0 0
        calibre613-opds_navcatalog_4e617574686f7273_library_id_calibre_library-6.xml 0 0 0 0
        calibre613-opds_navcatalog_4e617574686f7273_library_id_calibre_library_-17.xml 0 0 0 0
        calibre613-opds_navcatalog_4e617574686f7273_library_id_calibre_library_-18.xml 0 0 0 0
        calibre613-opds_navcatalog_4e6c616e677561676573_library_id_calibre_libr-8.xml 0 0 0 0
        calibre613-opds_navcatalog_4e7075626c6973686572_library_id_calibre_libr-9.xml 0 0 0 0
        calibre613-opds_navcatalog_4e726174696e67_library_id_calibre_library-10.xml 0 0 0 0
        calibre613-opds_navcatalog_4e736572696573_library_id_calibre_library-11.xml 0 0 0 0
        calibre613-opds_navcatalog_4e74616773_library_id_calibre_library-12.xml 0 0 0 0
        calibre613-opds_navcatalog_4f6e6577657374_library_id_calibre_library-4.xml 28 28 28 0
        calibre613-opds_navcatalog_4f6e6577657374_library_id_calibre_library_of-13.xml 30 30 30 0
        calibre613-opds_navcatalog_4f6e6577657374_library_id_calibre_library_of-14.xml 30 30 30 0
        calibre613-opds_navcatalog_4f7469746c65_library_id_calibre_library-5.xml 29 29 29 0
        calibre613-opds_navcatalog_4f7469746c65_library_id_calibre_library_offs-15.xml 29 29 29 0
        calibre613-opds_navcatalog_4f7469746c65_library_id_calibre_library_offs-16.xml 29 29 29 0
        calibreweb0627-opds_books-3.xml 0 0 0 0
        calibreweb0627-opds_books-6.xml 0 0 0 0
        calibreweb0627-opds_books_letter_00-7.xml 58 58 58 0
        calibreweb0627-opds_books_letter_A-8.xml 2 2 2 0
        calibreweb0627-opds_books_letter_C-9.xml 3 3 3 0
        calibreweb0627-opds_books_letter_D-10.xml 10 10 10 0
        calibreweb0627-opds_new-11.xml 58 58 58 0
        calibreweb0627-opds_new-4.xml 58 58 58 0
        calibreweb0627-opds_new_offset_0-14.xml 58 58 58 0
        calibreweb0627-opds_new_offset_60-12.xml 7 7 7 0
        calibreweb0627-opds_osd-2.xml refused
        calibreweb0627-opds_shelfindex-13.xml 0 0 0 0
        calibreweb0627-opds_shelfindex-5.xml 0 0 0 0
        http-calibre401.headers.txt refused
        http-cw401.headers.txt refused
        opdscat-home.json 8 8 8 0
        opdscat-navigation.json 0 0 0 0
        opdscat-publications.json 1 1 1 0
        palaceandroid-accounts_providers-array-empty.json refused
        palaceandroid-accounts_providers-multi-auth-0.json refused
        palaceandroid-accounts_providers-multi-auth-1.json refused
        palaceandroid-accounts_providers-nypl.json refused
        palaceandroid-accounts_providers-saml.json refused
        palaceandroid-auth_document_example_bad_authentications.json login
        palaceandroid-auth_document_example_bad_link.json login
        palaceandroid-auth_document_example_missing_id.json login
        palaceandroid-auth_document_nypl-20190603.json login
        palaceandroid-auth_document_nypl_qa_20201203.json login
        palaceandroid-books_adobe-token-pdf.xml refused
        palaceandroid-books_adobe-token.xml refused
        palaceandroid-books_empty.json refused
        palaceandroid-books_feed-no-usable-acquisitions.xml 1 0 1 0
        palaceandroid-books_loans.xml 4 0 4 0
        palaceandroid-books_revoke-epub-0.xml 1 0 1 0
        palaceandroid-books_revoke-error-bad-feed-type.xml 1 0 1 0
        palaceandroid-books_revoke-error-empty-feed-revoke.xml 0 0 0 0
        palaceandroid-client_facets-none.xml 3 0 3 0
        palaceandroid-client_next-1.xml 3 0 3 0
        palaceandroid-client_next-2.xml 3 0 3 0
        palaceandroid-controller_testBook0.xml 1 0 1 0
        palaceandroid-controller_testBook1.xml 1 0 1 0
        palaceandroid-controller_testBook2.xml 1 0 1 0
        palaceandroid-controller_testBooksDelete.xml 3 0 3 0
        palaceandroid-controller_testBooksRevokeCorrectURI.xml 1 0 1 0
        palaceandroid-controller_testBooksRevokeWithoutURI.xml 1 0 1 0
        palaceandroid-opds_acquisition-facets-1.xml 1 0 1 0
        palaceandroid-opds_bad-uri-syntax.xml 1 0 1 0
        palaceandroid-opds_boundless-0.xml 0 0 0 0
        palaceandroid-opds_boundless-1.xml 0 0 0 0
        palaceandroid-opds_bug-pp-465.xml 1 1 1 0
        palaceandroid-opds_compatibility-20180921-test-old.json 0 0 0 0
        palaceandroid-opds_date-bug.xml 1 1 1 0
        palaceandroid-opds_entry-0.xml 1 0 1 0
        palaceandroid-opds_entry-availability-held-timed-queued.xml 1 0 1 0
        palaceandroid-opds_entry-availability-held-timed.xml 1 0 1 0
        palaceandroid-opds_entry-availability-heldready-timed.xml 1 0 1 0
        palaceandroid-opds_entry-availability-loaned-indefinite.xml 1 0 1 0
        palaceandroid-opds_entry-availability-loaned-timed.xml 1 0 1 0
        palaceandroid-opds_entry-availability-open-access.xml 1 1 1 0
        palaceandroid-opds_entry-classics-0.xml 1 1 1 0
        palaceandroid-opds_entry-no-supported-format.xml 1 0 1 0
        palaceandroid-opds_feedbooks-20190808.xml 0 0 0 0
        palaceandroid-opds_loans.xml 2 0 2 0
        palaceandroid-opds_namespaces-0.xml 0 0 0 0
        palaceandroid-opds_navigation-0.xml 0 0 0 0
        palaceandroid-opds_navigation-bad-entry-featured-link-without-href.xml 0 0 0 0
        palaceandroid-opds_navigation-bad-entry-subsection-link-without-href.xml 0 0 0 0
        palaceandroid-opds_search-boundless-20250724.xml 0 0 0 0
        palacecirc-customlists_feed90_different_id.xml refused
        palacecirc-license_fb.json refused
        palacecirc-license_ul.json refused
        palacecirc-odl_feed-audiobook-no-streaming.json 0 0 0 0
        palacecirc-odl_feed-audiobook-streaming.json 0 0 0 0
        palacecirc-odl_feed2.json 0 0 0 0
        palacecirc-opds2_bad_feed.json 1 0 1 0
        palacecirc-opds2_bad_feed2.json 1 0 1 0
        palacecirc-opds2_feed2.json 3 3 3 0
        palacecirc-opds_audiobooks.opds 1 0 1 0
        palacecirc-opds_book_with_license.opds 1 1 1 0
        palacecirc-opds_content_server_mini.opds 2 1 2 0
        palacecirc-opds_feed_with_id_and_dcterms_identifier.opds 3 0 0 0
        palacecirc-opds_for_distributors_biblioboard_mini_feed.opds 0 0 0 0
        palacecirc-opds_metadata_updates_empty_response.opds 0 0 0 0
        palacecirc-opds_metadata_updates_empty_response_no_feed_timestamp.opds 0 0 0 0
        palacecirc-opds_metadata_wrangler_overdrive.opds 0 0 0 0
        palacecirc-opds_unknown_message_status_code.opds 0 0 0 0
        palacecirc-opds_unrecognized_identifier.opds 0 0 0 0
        palacecirc-status_fb-active.json refused
        palacecirc-status_fb-book-adobe.json refused
        palacecirc-status_ul-active.json refused
        r2kotlin-acquisition-feed.atom 2 1 1 0
        r2kotlin-entry.atom 1 1 1 0
        r2kotlin-nav-feed.atom 0 0 0 0
        r2kotlin-opds2-publication.json 1 0 0 0
        r2opdsswift-feedbooks_catalog.atom 0 0 0 0
        r2opdsswift-opds_2_0.json 0 0 0 0
        r2opdsswift-wiki_1_1.opds 2 1 1 0
        r2swift-opds-authentication.json refused
        r2swift-opds1-entry.unknown 1 1 0 1
        r2swift-opds1-feed.unknown 0 0 0 0
        r2swift-opds2-feed.json 0 0 0 0
        r2swift-opds2-publication.json 1 0 0 0
        r2swift-wiki_1_1.opds 2 1 1 0
        """
}
