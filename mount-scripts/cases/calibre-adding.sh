#!/usr/bin/env bash
# A library into which a real Calibre is adding books: each sync is a state that the library had, and the last one has all books, each once.
# beside others
# seconds: 180
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

command -v calibredb >/dev/null || skip "needs calibredb, which isn't installed by itself: apt-get install --no-install-recommends calibre"
needs jq
needs_fuse
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}/calibre-library
[ -f "$corpus/metadata.db" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with calibre-library"
mount=$TMPDIR/shelf library=$TMPDIR/library
export QT_QPA_PLATFORM=offscreen CALIBRE_CONFIG_DIRECTORY=$TMPDIR/calibre CALIBRE_TEMP_DIR=$TMPDIR
cp -r "$corpus" "$library"
chmod -R u+w "$library"

# What the library says it has: "TITLE SIZE" of each EPUB, in order. Asked as Calibre itself would, with its locks.
epubs() {
    "$python" - "$library" <<'END'
import os, sqlite3, sys
rows = sqlite3.connect(f"file:{sys.argv[1]}/metadata.db?mode=ro", uri=True, timeout=30).execute(
    "SELECT title, path, name FROM books JOIN data ON book = books.id WHERE format = 'EPUB'").fetchall()
print(*sorted(f"{title} {os.path.getsize(f'{sys.argv[1]}/{path}/{name}.epub')}" for title, path, name in rows), sep="\n")
END
}

shown() {
    shelf --json list | jq -r '.books[] | "\(.title) \(.byteCount)"' | LC_ALL=C sort
}

shelf --quiet source add books "$library"
shelf --quiet sync
epubs | LC_ALL=C sort >"$TMPDIR/before"
diff "$TMPDIR/before" <(shown) || fail "other books than in the library"
mount_shelf "$mount" --sync-interval 1d
file=$(find "$mount" -name 'Hefty Water.epub')
exec {open}<"$file"

echo "== while books are being added"
mkdir "$TMPDIR/new"
make_books "$TMPDIR/new/catalog.json" 12
calibredb add --with-library "$library" --recurse "$TMPDIR/new/books" >"$TMPDIR/calibredb.log" 2>&1 &
adding=$!
remember "$adding"
syncs=0 refused=0
until gone "$adding"; do
    if shelf --json sync >"$TMPDIR/sync.json" 2>"$TMPDIR/error"; then
        syncs=$((syncs + 1))
    else
        refused=$((refused + 1))
        contains "$(cat "$TMPDIR/error")" locked || fail "$(cat "$TMPDIR/error")"
    fi
    same "books that went" 0 "$(jq '.sources[0].removed' "$TMPDIR/sync.json")"
    same "books that are there twice" "$(uniq --repeated "$TMPDIR/before")" "$(shown | uniq --repeated)"
    cmp "$library/Unknown/Hefty Water (10)/"*.epub "/dev/fd/$open" || fail "a book of the library while others are added"
    exec {open}<&- {open}<"$file"
done
wait "$adding" || fail "calibredb: $(cat "$TMPDIR/calibredb.log")"
echo "$syncs syncs meanwhile, $refused of a library that was locked"
[ "$syncs" -gt 0 ] || fail "no sync came through"
exec {open}<&-

echo "== afterwards"
state_of_tree() { (cd "$library" && find . -printf '%p %y %m %s %T@ %C@\n' | sort && find . -type f -exec sha256sum {} + | sort) | sha256sum; }
before=$(state_of_tree)
shelf --quiet sync
epubs | LC_ALL=C sort >"$TMPDIR/after"
same "books added" 12 "$(($(wc -l <"$TMPDIR/after") - $(wc -l <"$TMPDIR/before")))"
diff "$TMPDIR/after" <(shown) || fail "other books than in the library"
# Calibre has put its own metadata into nothing: what it took is what was given.
has_all() { [ "$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)" = "$(wc -l <"$TMPDIR/after")" ]; }
within 10 has_all || fail "the mount shows $(find "$mount" -type f | wc -l) files"
while read -r copy; do sha256sum <"$copy"; done < <(find "$mount" -type f) | sort -u >"$TMPDIR/shown"
find "$library" -name '*.epub' -exec sha256sum {} + | sed 's/  .*/  -/' | sort -u | diff - "$TMPDIR/shown" || fail "other bytes than in the library"
same "the library after syncing and reading" "$before" "$(state_of_tree)"
unmount_shelf "$mount"
