#!/usr/bin/env bash
# Every EPUB of the corpus behind a real web server: browsing costs no request, a copy has the right bytes, and is fetched once.
# seconds: 300
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl sha256sum
needs_fuse
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}
[ -d "$corpus/epub" ] && corpus=$corpus/epub
[ -f "$corpus/index.tsv" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with index.tsv and EPUBs"

root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root/books"
# The second half of the books has a hash; all have a size.
"$python" - "$corpus" "$root" <<'END'
import csv, json, os, shutil, sys
corpus, root = sys.argv[1:]
books = []
with open(os.path.join(corpus, "index.tsv"), encoding="utf-8", newline="") as index:
    rows = [row for row in csv.DictReader(index, delimiter="\t", quoting=csv.QUOTE_NONE)
            if os.path.exists(os.path.join(corpus, row["file"]))]
for number, row in enumerate(rows):
    source = os.path.join(corpus, row["file"])
    shutil.copyfile(source, os.path.join(root, "books", row["file"]))
    book = {
        "id": row["file"], "title": row["dc_title"] or row["file"], "isPurchased": True,
        "category": (row["file"].split("-")[0]).title(), "contentUrl": "books/" + row["file"].replace("%", "%25"),
        "fileSizeInBytes": os.path.getsize(source),
        "lastModified": f"2023-{number % 12 + 1:02d}-{number % 28 + 1:02d}T08:30:00Z",
    }
    if row["dc_creator"]:
        book["author"] = row["dc_creator"]
    if number >= len(rows) // 2:
        book["sha256"] = row["sha256"]
    books.append(book)
json.dump(books, open(os.path.join(root, "catalog.json"), "w", encoding="utf-8"), ensure_ascii=False)
END
count=$(jq length "$root/catalog.json")
[ "$count" -gt 10 ] || fail "only $count books in the corpus"
for file in "$root"/books/*; do sha256sum <"$file"; done | sort >"$TMPDIR/wanted"

start_nginx "$root"
shelf --quiet source add corpus "http://127.0.0.1:$port/catalog.json"
shelf --json sync >"$TMPDIR/sync.json"
same "books added" "$count" "$(jq '.sources[0].added' "$TMPDIR/sync.json")"
same "requests of the first sync" "GET 200 /catalog.json" "$(cat "$access_log")"
shelf --json sync >"$TMPDIR/sync.json"
same "a second sync is told that nothing was modified" true "$(jq '.sources[0].notModified' "$TMPDIR/sync.json")"
same "requests of the second sync" 1 "$(requests ' 304 ')"
mount_shelf "$mount" --sync-interval 1d

echo "== browsing"
same "categories" "$(jq -r '.[].category' "$root/catalog.json" | sort -u)" "$(find "$mount" -mindepth 1 -maxdepth 1 -printf "%f\n" | sort)"
for category in "$mount"/*; do ls -lR "$category" >/dev/null; done
find "$mount" -name '*.epub' -type f >"$TMPDIR/files"
same "files" "$count" "$(wc -l <"$TMPDIR/files")"
du -s "$mount" >/dev/null
find "$mount" -type f -exec stat --format='%n %s %Y %i %Z %a %h' {} + | sort >"$TMPDIR/before"
same "sizes" "$(jq -r '.[].fileSizeInBytes' "$root/catalog.json" | sort)" "$(find "$mount" -type f -printf '%s\n' | sort)"
same "dates" "$(jq -r '.[].lastModified' "$root/catalog.json" | sort)" \
    "$(find "$mount" -type f -printf '%TY-%Tm-%TdT%TH:%TM:%.2TSZ\n' | sort)"
same "inodes differ" "$count" "$(cut -d ' ' -f 1- "$TMPDIR/before" | awk '{ print $(NF-3) }' | sort -u | wc -l)"
same "requests for content by browsing" 0 "$(requests '/books/')"
same "books on disk by browsing" 0 "$(status_of .cache.files)"

echo "== copying"
mkdir "$TMPDIR/copies"
number=0
while read -r file; do
    number=$((number + 1))
    cp "$file" "$TMPDIR/copies/$number" || fail "cp of $file"
done <"$TMPDIR/files"
for file in "$TMPDIR"/copies/*; do sha256sum <"$file"; done | sort >"$TMPDIR/got"
cmp "$TMPDIR/wanted" "$TMPDIR/got" || fail "the copies aren't what the server has"
same "one GET for each book" "$count" "$(requests '^GET 200 /books/')"
same "no other request for content" "$count" "$(requests '/books/')"
find "$mount" -type f -exec stat --format='%n %s %Y %i %Z %a %h' {} + | sort >"$TMPDIR/after"
cmp "$TMPDIR/before" "$TMPDIR/after" || fail "attributes changed by reading: $(diff "$TMPDIR/before" "$TMPDIR/after")"

echo "== reading again"
while read -r file; do cat "$file"; done <"$TMPDIR/files" | sha256sum >/dev/null
same "no further request" "$count" "$(requests '/books/')"
same "downloads in status" "$count" "$(status_of .transfers.requests)"
same "bytes in status" "$(jq '[.[].fileSizeInBytes] | add' "$root/catalog.json")" "$(status_of .transfers.bytes)"
same "books on disk in status" "$count" "$(status_of .cache.files)"
same "bytes on disk in status" "$(jq '[.[].fileSizeInBytes] | add' "$root/catalog.json")" "$(status_of .cache.bytes)"
same "books in status" "$count $count" "$(status_of '"\(.catalog.books) \(.catalog.purchased)"')"
same "who downloaded" "cp" "$(status_of '.transfers.byProgram[].program')"
same "no error in status" 0 "$(status_of '.errors | length')"
same "nothing loads any more" 0 "$(status_of .transfers.active)"

echo "== after unmounting and mounting, still on disk"
unmount_shelf "$mount"
mount_shelf "$mount" --sync-interval 1d
stop_nginx
while read -r file; do cat "$file"; done <"$TMPDIR/files" | sha256sum >/dev/null || fail "a book that was on disk can't be read"
find "$mount" -type f -exec stat --format='%n %s %Y %i %Z %a %h' {} + | sort | cmp - "$TMPDIR/before" || fail "attributes changed by mounting again"
unmount_shelf "$mount"
