#!/usr/bin/env bash
# A real calibre-web that wants Basic: the books of its library, each once, and every EPUB copied right; its library isn't touched by it.
# beside others
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs curl jq
needs_fuse
needs_program calibreweb
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}/calibre-library
[ -f "$corpus/metadata.db" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with calibre-library"
mount=$TMPDIR/shelf library=$TMPDIR/library data=$TMPDIR/calibre-web
mkdir "$data"
# It writes into the library that it serves.
cp -r "$corpus" "$library"
chmod -R u+w "$library"
export CALIBRE_DBPATH=$data
CALIBRE_PORT=$(free_port)
export CALIBRE_PORT
base=http://127.0.0.1:$CALIBRE_PORT

calibre_web() {
    timeout 60 "$program_directory/cps" -p "$data/app.db" "$@" >>"$TMPDIR/server.log" 2>&1
}

# Makes its database, and then has it take any password, and this library.
calibre_web -d || fail "calibre-web doesn't start: $(tail "$TMPDIR/server.log")"
calibre_web -s admin:nothing || true
"$python" -c 'import sqlite3, sys; connection = sqlite3.connect(sys.argv[1]); connection.execute(
    "UPDATE settings SET config_calibre_dir = ?, config_password_policy = 0", (sys.argv[2],)); connection.commit()' \
    "$data/app.db" "$library"
calibre_web -s "admin:$secret_basic" || fail "calibre-web takes no password: $(tail "$TMPDIR/server.log")"
"$program_directory/cps" -p "$data/app.db" -o "$data/log" -i 127.0.0.1 -m >>"$TMPDIR/server.log" 2>&1 &
remember $!
within 60 curl --silent --output /dev/null "$base/" || fail "calibre-web didn't start: $(tail "$TMPDIR/server.log")"

# The titles of the books that have an EPUB, in order. A feed has them with single blanks.
titles() {
    "$python" -c 'import sqlite3, sys; print(*(row[0] for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True).execute(
        "SELECT title FROM books WHERE id IN (SELECT book FROM data WHERE format = ?)", ("EPUB",))), sep="\n")' "$1" | tr --squeeze-repeats ' ' | sort
}

echo "== a login is needed"
shelf --quiet source add server "$base/opds"
refuses 1 "401" shelf sync
shelf --quiet source remove server
shelf source add server "http://admin:$(url_encoded "$secret_basic")@127.0.0.1:$CALIBRE_PORT/opds" >"$TMPDIR/added"
contains "$(cat "$TMPDIR/added")" "kind opds" || fail "the feed isn't recognised: $(cat "$TMPDIR/added")"

echo "== the books of the library, each once"
shelf --json sync >"$TMPDIR/sync.json" || fail "$(cat "$TMPDIR/sync.json")"
jq -r '.sources[0].skipped[] | "as it should: record \(.record): \(.reason)"' "$TMPDIR/sync.json"
# One of its authors begins with a full stop, and it doesn't find the feed of the letter that it leads to.
same "what was passed over" "" "$(jq -r '.sources[0].skipped[].reason | select(contains("404") | not)' "$TMPDIR/sync.json")"
shelf --json list | jq -r '.books[].title' | sort >"$TMPDIR/titles"
titles "$corpus/metadata.db" | diff - "$TMPDIR/titles" || fail "other books than in the library"
anchor=$(status_of .catalog.anchor)
shelf --json sync | jq -e '.sources[0] | .added + .removed == 0' >/dev/null || fail "a second sync changes something"
same "changes" "$anchor" "$(status_of .catalog.anchor)"

echo "== every EPUB copied"
mount_shelf "$mount" --sync-interval 1d
mkdir "$TMPDIR/copies"
find "$mount" -type f -printf '%i\n' | sort -u >"$TMPDIR/inodes"
same "files" "$(wc -l <"$TMPDIR/titles")" "$(wc -l <"$TMPDIR/inodes")"
while read -r inode; do
    file=$(find "$mount" -inum "$inode" -print -quit)
    cp "$file" "$TMPDIR/copies/$inode.epub" || fail "cp of $file: $(status_of .errors)"
    same "the size of $file" "$(stat -c %s "$TMPDIR/copies/$inode.epub")" "$(stat -c %s "$file")"
done <"$TMPDIR/inodes"
sums() { find "$1" -name '*.epub' -exec sha256sum {} + | cut -d ' ' -f 1 | sort; }
sums "$corpus" >"$TMPDIR/wanted"
sums "$TMPDIR/copies" | diff "$TMPDIR/wanted" - || fail "the copies aren't the books of the library"
unmount_shelf "$mount"
