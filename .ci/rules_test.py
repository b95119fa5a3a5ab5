"""The rules find what they are there to find, and nothing in a package that keeps to them."""

import tempfile
import unittest
from pathlib import Path

import rules
import swift_source

GOOD = {
    "Sources/CSQLite3/module.modulemap": "module CSQLite3 [system] {}",
    "Sources/CCurl/module.modulemap": "module CCurl [system] {}",
    "Sources/Shelf/Book.swift": "package struct Book {}\n",
    "Sources/Log/Log.swift": "internal import Glibc\nfunc write() { unsafe fsync(2) }\n",
    "Sources/SQLite/Connection.swift": "internal import CSQLite3\nfunc close() { unsafe sqlite3_close(nil) }\n",
    "Sources/HTTP/Transfer.swift": "internal import CCurl\ninternal import Log\n",
    "Sources/Catalog/Catalog.swift":
        'package import Shelf\ninternal import SQLite\n// try! unsafe public\nlet text = "import HTTP"\n',
    "Sources/bookshelf/main.swift": "internal import Catalog\ninternal import HTTP\n",
    "Tests/CatalogTests/CatalogTests.swift": "import Catalog\nimport Foundation\nimport Testing\n",
}


class RulesTest(unittest.TestCase):
    def faults(self, changes):
        """The faults of the good package with some of its files replaced or added."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**GOOD, **changes}.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return list(rules.faults(Path(folder)))

    def expect(self, changes, *parts):
        """Exactly one fault, in which all the parts are named."""
        found = self.faults(changes)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_package_that_keeps_to_the_rules_has_no_faults(self):
        self.assertEqual(self.faults({}), [])

    def test_parts_of_the_domain_do_not_know_each_other(self):
        self.expect({"Sources/Catalog/Sync.swift": "internal import ContentCache\n",
                     "Sources/ContentCache/Cache.swift": ""}, "Catalog/Sync.swift", "ContentCache")

    def test_a_mechanism_knows_no_books(self):
        self.expect({"Sources/HTTP/Book.swift": "package import Shelf\n"}, "HTTP imports Shelf")

    def test_shelf_imports_nothing(self):
        self.expect({"Sources/Shelf/Time.swift": "internal import Glibc\n"}, "Shelf imports Glibc")
        self.expect({"Sources/Shelf/Time.swift": "internal import Log\n"}, "Shelf imports Log")

    def test_log_may_be_imported_by_any_but_shelf(self):
        self.assertEqual(self.faults({"Sources/Catalog/Log.swift": "internal import Log\n"}), [])

    def test_a_c_module_has_one_importer(self):
        self.expect({"Sources/Catalog/Raw.swift": "internal import CSQLite3\n"}, "CSQLite3", "Catalog, SQLite")

    def test_unsafe_stays_with_the_owners(self):
        self.expect({"Sources/Catalog/Bytes.swift": "func f() { unsafe g() }\n"}, "Bytes.swift:1", "unsafe")
        self.expect({"Sources/Catalog/State.swift": "\nnonisolated(unsafe) var x = 1\n"}, "State.swift:2", "unsafe")

    def test_foundation_is_for_tests_only(self):
        self.expect({"Sources/Catalog/Date.swift": "internal import Foundation\n"}, "Foundation")
        self.expect({"Sources/bookshelf/XML.swift": "import FoundationXML\n"}, "Foundation")
        self.expect({"Sources/Catalog/Date.swift": "import struct Foundation.Date\n"}, "Foundation")

    def test_no_drawers(self):
        self.expect({"Sources/Catalog/Helpers/Text.swift": ""}, "Sources/Catalog/Helpers")
        self.expect({"Tests/common/Text.swift": ""}, "Tests/common")

    def test_a_new_target_needs_a_place(self):
        self.expect({"Sources/Extras/Text.swift": ""}, "Sources/Extras", "architecture.py")

    def test_no_testable_import(self):
        self.expect({"Tests/CatalogTests/More.swift": "@testable import Catalog\n"}, "More.swift:1", "@testable")

    def test_no_forced_try(self):
        self.expect({"Tests/CatalogTests/More.swift": "let x = try! f()\n"}, "try!")

    def test_nothing_is_public(self):
        self.expect({"Sources/Catalog/API.swift": "public struct API {}\n"}, "API.swift:1", "public")
        self.assertEqual(self.faults({"Sources/Catalog/Log.swift": "let x = .public (1)\nfunc `public`() {}\n"}), [])

    def test_a_long_file_is_split(self):
        self.assertEqual(self.faults({"Sources/Catalog/Long.swift": "\n" * 400}), [])
        self.expect({"Sources/Catalog/Long.swift": "\n" * 401}, "401 lines")

    def test_an_arrow_that_only_the_manifest_has_is_found(self):
        package = {"targets": [
            {"name": "CSQLite3", "type": "system", "dependencies": []},
            {"name": "SQLite", "type": "regular", "dependencies": [{"byName": ["CSQLite3", None]}]},
            {"name": "Catalog", "type": "regular", "dependencies": [{"byName": ["HTTP", None]}, {"byName": ["Log", None]}]},
            {"name": "Utils", "type": "regular", "dependencies": [{"target": ["Shelf", None]}]},
            {"name": "bookshelf", "type": "executable", "dependencies": [{"byName": ["HTTP", None]}]},
            {"name": "TestHarness", "type": "regular", "path": "Tests/TestHarness",
             "dependencies": [{"byName": ["HTTP", None]}]},
            {"name": "CatalogTests", "type": "test", "dependencies": [{"byName": ["HTTP", None]}]},
        ]}
        self.assertEqual(list(rules.declared_faults(package)), [
            "Package.swift: Catalog depends on HTTP",
            "Package.swift: a target named Utils",
            "Package.swift: Utils depends on Shelf",
        ])


class SwiftSourceTest(unittest.TestCase):
    def test_imports_of_every_form_are_seen(self):
        text = ("import A\npackage import B\n@preconcurrency internal import C\nimport struct D.E\n"
                "/* import F */ // import G\n#if os(Linux)\n    import H\n#endif\nimport I.J\n"
                '@_spi(Testing) import K\nlet x = """\nimport L\n"""\n')
        self.assertEqual(swift_source.imports(text), set("ABCDHIK"))

    def test_code_keeps_its_lines(self):
        text = 'let a = "unsafe" // unsafe\n/* unsafe\nunsafe */ let b = 1\nunsafe f("//")\n'
        self.assertEqual(swift_source.lines_with(r"\bunsafe\b", text), [4])
