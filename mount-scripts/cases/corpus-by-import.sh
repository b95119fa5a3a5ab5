#!/usr/bin/env bash
# Every EPUB of the corpus in a folder, found beside an imported catalog that names no URL.
# beside others
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}
[ -d "$corpus/epub" ] && corpus=$corpus/epub
[ -f "$corpus/index.tsv" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with index.tsv and EPUBs"

folder=$TMPDIR/folder mount=$TMPDIR/shelf
mkdir -p "$folder/books"
# By number, books/ID.epub; every third without a number: books/TITLE.epub.
"$python" - "$corpus" "$folder" <<'END'
import csv, json, os, shutil, sys
corpus, folder = sys.argv[1:]
books = []
with open(os.path.join(corpus, "index.tsv"), encoding="utf-8", newline="") as index:
    rows = list(csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE))
for number, row in enumerate(rows):
    source = os.path.join(corpus, row["file"])
    if not os.path.exists(source):
        continue
    if number % 3 == 0:
        # A title that is a file name as it stands, and nobody else's.
        title = f"Nr {number} {row['file'].removesuffix('.epub')}"
        book = {"title": title}
        name = title
    else:
        name = f"id-{number}"
        book = {"id": name, "title": row["dc_title"] or row["file"]}
    shutil.copy2(source, os.path.join(folder, "books", name + ".epub"))
    if row["dc_creator"]:
        book["author"] = row["dc_creator"]
    book.update(category=row["file"].split("-")[0], isPurchased=True)
    books.append(book)
json.dump({"books": books, "version": 7}, open(os.path.join(folder, "catalog.json"), "w", encoding="utf-8"), ensure_ascii=False)
END
count=$(jq '.books | length' "$folder/catalog.json")
same "import" "$count" "$(shelf --json import "$folder/catalog.json" | jq '.sources[0].added')"
mount_shelf "$mount"
same "files" "$count" "$(find "$mount" -type f -name '*.epub' | wc -l)"
same "sizes" "$(find "$folder/books" -type f -printf '%s\n' | sort)" "$(find "$mount" -type f -printf '%s\n' | sort)"
same "dates" "$(find "$folder/books" -type f -printf '%TY-%Tm-%Td %TH:%TM:%.2TS\n' | sort)" \
    "$(find "$mount" -type f -printf '%TY-%Tm-%Td %TH:%TM:%.2TS\n' | sort)"
same "books on disk by browsing" 0 "$(status_of .cache.files)"
find "$mount" -type f -exec stat --format='%n %s %Y %i' {} + | sort >"$TMPDIR/before"
cp -r "$mount" "$TMPDIR/copy"
find "$folder/books" -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort >"$TMPDIR/wanted"
find "$TMPDIR/copy" -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort >"$TMPDIR/got"
cmp "$TMPDIR/wanted" "$TMPDIR/got" || fail "the copies aren't what the folder has"
find "$mount" -type f -exec stat --format='%n %s %Y %i' {} + | sort | cmp - "$TMPDIR/before" || fail "attributes changed by reading"
same "no error in status" 0 "$(status_of '.errors | length')"
same "importing again changes nothing" "0 0 0 $count" \
    "$(shelf --json import "$folder/catalog.json" | jq -r '.sources[0] | "\(.added) \(.updated) \(.removed) \(.unchanged)"')"
unmount_shelf "$mount"
