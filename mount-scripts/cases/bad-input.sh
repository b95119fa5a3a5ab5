#!/usr/bin/env bash
# Documents as they come: other encodings, cut off, empty, without an end, with bad records, and the same one again.
# seconds: 400
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs jq iconv
catalog_database() { status_of .paths.catalog; }

# The whole state of the catalog: its books, its anchor.
state() {
    shelf --json list --all | sha256sum
    status_of .catalog.anchor
}

make_books "$TMPDIR/catalog.json" 5
shelf --quiet import "$TMPDIR/catalog.json"
before=$(state)

unchanged() {
    same "the catalog after $1" "$before" "$(state)"
}

echo "== GBK"
printf '[{"title": "红楼梦", "author": "曹雪芹", "isPurchased": true, "category": "小说"}]' | iconv -t GBK >"$TMPDIR/gbk.json"
refuses 1 "--encoding" shelf import "$TMPDIR/gbk.json"
# [{"title": " is 12 bytes.
refuses 1 "offset 12" shelf import "$TMPDIR/gbk.json"
unchanged "a GBK file"
refuses 1 "iconv -l" shelf import "$TMPDIR/gbk.json" --encoding MARTIAN
shelf --quiet import "$TMPDIR/gbk.json" --encoding GBK || fail "--encoding GBK"
same "what was GBK" "红楼梦 曹雪芹 小说" "$(shelf --json list --all | jq -r '.books[] | "\(.title) \(.author) \(.categories[0])"')"
shelf --quiet import "$TMPDIR/catalog.json"
before=$(state)

echo "== cut off"
size=$(stat -c %s "$TMPDIR/catalog.json")
for keep in 1 100 $((size / 2)) $((size - 2)); do
    head -c "$keep" "$TMPDIR/catalog.json" >"$TMPDIR/cut.json"
    refuses 1 "not a catalog" shelf import "$TMPDIR/cut.json"
    unchanged "a document cut after $keep bytes"
done
(cat "$TMPDIR/catalog.json"; echo ']') >"$TMPDIR/more.json"
refuses 1 "not a catalog" shelf import "$TMPDIR/more.json"
unchanged "a document with something behind its end"

echo "== empty, missing, no JSON"
: >"$TMPDIR/empty.json"
refuses 1 "empty.json" shelf import "$TMPDIR/empty.json"
refuses 1 "no file" shelf import "$TMPDIR/missing.json"
refuses 1 "folder" shelf import "$TMPDIR"
echo '<html>Log in</html>' >"$TMPDIR/page.json"
refuses 1 "not a catalog" shelf import "$TMPDIR/page.json"
echo '"books"' >"$TMPDIR/text.json"
refuses 1 "" shelf import "$TMPDIR/text.json"
echo '{"shops": []}' >"$TMPDIR/other.json"
refuses 1 "" shelf import "$TMPDIR/other.json"
head -c 100000 /dev/urandom >"$TMPDIR/noise.json"
refuses 1 "" shelf import "$TMPDIR/noise.json"
head -c 100000 /dev/zero | tr '\0' '[' >"$TMPDIR/deep.json"
refuses 1 "not a catalog" shelf import "$TMPDIR/deep.json"
unchanged "no catalog at all"

echo "== numbers for titles, strings for numbers"
printf '\357\273\277[{"id": 7, "title": 1984, "author": "Orwell", "isPurchased": "true", "fileSizeInBytes": "123", "contentUrl": "http://127.0.0.1:9/x.epub"}]' >"$TMPDIR/numbers.json"
shelf --quiet import "$TMPDIR/numbers.json"
same "a number for a title" "1984 123 true" "$(shelf --json list --all | jq -r '.books[] | "\(.title) \(.byteCount) \(.isPurchased)"')"

echo "== 10,000 records, of which 37 are bad"
"$python" - "$TMPDIR/many.json" <<'END'
import json, sys
bad = [None, 5, "text", [], {}, {"title": ""}, {"title": None}, {"title": "   "}, {"author": "without title"}, {"title": {}}]
books = [{"id": f"b{n}", "title": f"Title {n}", "isPurchased": True, "category": f"C {n % 40}",
          "contentUrl": f"http://127.0.0.1:9/{n}.epub", "fileSizeInBytes": 1000 + n} for n in range(10_000)]
for n in range(37):
    books[100 + n * 250] = bad[n % len(bad)]
json.dump(books, open(sys.argv[1], "w"))
END
shelf --json import "$TMPDIR/many.json" >"$TMPDIR/report.json" || fail "bad records fail the import"
same "added, skipped" "9963 37" "$(jq -r '.sources[0] | "\(.added) \(.skipped | length)"' "$TMPDIR/report.json")"
same "the first bad record" 101 "$(jq '.sources[0].skipped[0].record' "$TMPDIR/report.json")"
same "bad records without a reason" 0 "$(jq '[.sources[0].skipped[] | select((.reason | length) < 5)] | length' "$TMPDIR/report.json")"
same "books" 9963 "$(status_of .catalog.books)"
shelf import "$TMPDIR/many.json" >"$TMPDIR/report.txt"
grep -q '37 skipped' "$TMPDIR/report.txt" || fail "the report for people doesn't say 37 skipped"

echo "== a bad record never revokes the book of its key"
jq '.[0].title = null | .[1].fileSizeInBytes = "many"' "$TMPDIR/many.json" >"$TMPDIR/broken.json"
shelf --json import "$TMPDIR/broken.json" >"$TMPDIR/report.json"
same "removed" 0 "$(jq '.sources[0].removed' "$TMPDIR/report.json")"
same "Title 0 is still there" 1 "$(shelf --json list --all | jq '[.books[] | select(.title == "Title 0")] | length')"

echo "== duplicate ids: the last wins, and it is reported"
echo '[{"id": "a", "title": "First"}, {"id": "b", "title": "Other"}, {"id": "a", "title": "Second"}]' >"$TMPDIR/twice.json"
shelf --json import "$TMPDIR/twice.json" >"$TMPDIR/report.json"
same "titles" "Other Second" "$(shelf --json list --all | jq -r '[.books[].title] | sort | join(" ")')"
same "reported" 1 "$(jq '.sources[0].skipped | length' "$TMPDIR/report.json")"

echo "== the same again writes nothing"
shelf --quiet import "$TMPDIR/many.json"
database=$(catalog_database)
anchor=$(status_of .catalog.anchor)
content() { "$python" - "$database" <<'END'
import hashlib, sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
digest = hashlib.sha256()
for line in database.iterdump():
    digest.update(line.encode())
print(digest.hexdigest())
END
}
# As bytes: the file and its log; 0 where there is no log.
bytes() { sha256sum <"$database"; sha256sum <"$database-wal" 2>/dev/null || echo "no log"; }
dump=$(content) written=$(bytes)
shelf --json import "$TMPDIR/many.json" >"$TMPDIR/report.json"
same "all unchanged" "0 0 0 9963" "$(jq -r '.sources[0] | "\(.added) \(.updated) \(.removed) \(.unchanged)"' "$TMPDIR/report.json")"
same "anchor" "$anchor" "$(status_of .catalog.anchor)"
same "what is in the database" "$dump" "$(content)"
same "the bytes of the database" "$written" "$(bytes)"
before=$(state)

echo "== two gigabytes on one line"
endless() {
    "$python" - "$1" <<'END'
import sys
out = sys.stdout.buffer
kind = sys.argv[1]
piece = b"x" * (1 << 20)
try:
    if kind == "string":
        out.write(b'[{"title": "')
        for _ in range(2048):
            out.write(piece)
    elif kind == "records":
        record = b'{"id": "r%d", "title": "A title %d", "description": "' + b"d" * 4000 + b'"},'
        out.write(b"[")
        # Few keys, again and again: it is the document that is large, not the shelf.
        for number in range(520_000):
            out.write(record % (number % 50, number % 50))
        out.write(b'{"id": "end", "title": "The end"}]')
    else:
        out.write(b'[{"title": "T", "unknown": [')
        for _ in range(2048):
            out.write(b"1234567," * (1 << 17))
        out.write(b"0]}]")
except BrokenPipeError:
    pass
END
}
# The most memory that the import ever had, as the kernel counts it (wait4(2), ru_maxrss in kB): nothing is sampled, so none is missed.
peak_of() {
    local kind=$1 peak
    mkfifo "$TMPDIR/pipe"
    endless "$kind" >"$TMPDIR/pipe" &
    local writer=$!
    remember "$writer"
    read -r got peak < <("$python" - "$TMPDIR/pipe" "$TMPDIR/report.json" "$TMPDIR/report.err" "$BOOKSHELF" --json import - <<'END'
import os, sys
source, report, errors, *command = sys.argv[1:]
pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
    (os.POSIX_SPAWN_OPEN, 0, source, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
END
    )
    wait "$writer" || true
    rm "$TMPDIR/pipe"
    echo "$kind: status $got, at most $((peak / 1024)) MB, $(head -c 300 "$TMPDIR/report.err")"
    [ "$peak" -gt 5000 ] || fail "the memory of the import wasn't seen"
    [ "$peak" -lt $((150 * 1024)) ] || fail "$kind: it took $((peak / 1024)) MB"
}
peak_of string
same "a string without an end" 1 "$got"
unchanged "a string of two gigabytes"
peak_of records
same "records without an end" 0 "$got"
same "books of a document of two gigabytes" 51 "$(status_of .catalog.books)"
same "Other books are gone: a second import replaces what the first had" "The end" "$(shelf --json list --all | jq -r '.books[] | select(.title == "The end").title')"
peak_of unknown
same "an unknown field of two gigabytes" 0 "$got"
same "its book" "T" "$(shelf --json list --all | jq -r '.books[].title')"
