#!/usr/bin/env bash
# The library of a Calibre: each book once, served where it lies, and not a byte of it is written, also while it is locked.
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs jq sha256sum
needs_fuse
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}/calibre-library
[ -f "$corpus/metadata.db" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with calibre-library"
mount=$TMPDIR/shelf library=$TMPDIR/library

# Everything about a tree that somebody could change: names, kinds, rights, sizes, dates of change, bytes.
state_of_tree() {
    (cd "$1" && find . -printf '%p %y %m %s %T@ %C@\n' | sort && find . -type f -exec sha256sum {} + | sort) | sha256sum
}

# The books that a library has an EPUB of, by their hashes.
epubs() {
    find "$1" -name '*.epub' -exec sha256sum {} + | cut -d ' ' -f 1 | sort
}

echo "== the library itself"
before=$(state_of_tree "$corpus")
shelf source add books "$corpus" | grep -q "kind calibre" || fail "a library isn't recognised"
shelf --json sync >"$TMPDIR/sync.json"
count=$("$python" -c 'import sqlite3, sys; print(*sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True).execute(
    "SELECT count(*) FROM books").fetchone())' "$corpus/metadata.db")
same "books added" "$count" "$(jq '.sources[0].added' "$TMPDIR/sync.json")"
same "books without an EPUB" "Empty book, no formats" "$(shelf --json list --all | jq -r '.books[] | select(.state == "unavailable") | .title')"
mount_shelf "$mount" --sync-interval 1d
# A book under several tags is one file with several names.
same "books in the tree" "$(epubs "$corpus" | wc -l)" "$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)"
mkdir "$TMPDIR/copies"
while read -r inode; do
    cp "$(find "$mount" -inum "$inode" -print -quit)" "$TMPDIR/copies/$inode.epub"
done < <(find "$mount" -type f -printf '%i\n' | sort -u)
same "bytes" "$(epubs "$corpus")" "$(epubs "$TMPDIR/copies")"
same "copies in the cache" 0 "$(find "$XDG_CACHE_HOME/bookshelf/default/content" -type f | wc -l)"
same "the library after syncing and reading" "$before" "$(state_of_tree "$corpus")"
shelf --json sync | jq -e '.sources[0] | .added + .updated + .removed == 0' >/dev/null || fail "a second sync changes something"

echo "== categories"
same "by tag" "C++ Detective" "$(cd "$mount" && echo C++ Dete*)"
BOOKSHELF_CATEGORY_FROM="#genre" shelf --quiet sync
has_directories() { [ "$(cd "$mount" && echo *)" = "$1" ]; }
within 5 has_directories "Poetry Uncategorised 古典" || fail "by a column: $(ls "$mount")"
BOOKSHELF_CATEGORY_FROM=series shelf --quiet sync
within 5 has_directories "Uncategorised 世界名著系列／第一辑" || fail "by series: $(ls "$mount")"
export BOOKSHELF_CATEGORY_FROM="#colour"
refuses 1 "no column #colour" shelf sync
export BOOKSHELF_CATEGORY_FROM=colour
refuses 1 "category-from" shelf sync
unset BOOKSHELF_CATEGORY_FROM
unmount_shelf "$mount"
shelf --quiet source remove books

echo "== a copy that somebody works on"
cp -r "$corpus" "$library"
chmod -R u+w "$library"
shelf --quiet source add books "$library" --kind calibre
shelf --quiet sync
mount_shelf "$mount" --sync-interval 1d
"$python" - "$library/metadata.db" "$TMPDIR" <<'END' &
import os, sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
open(sys.argv[2] + "/locked", "w").close()
while not os.path.exists(sys.argv[2] + "/release"):
    time.sleep(0.02)
connection.execute("ROLLBACK")
END
locker=$!
remember "$locker"
within 10 test -e "$TMPDIR/locked" || fail "the library can't be locked"
before=$(state_of_tree "$library")
refuses 1 "locked" shelf sync
same "books while it is locked" "$(epubs "$library" | wc -l)" "$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)"
file=$(find "$mount" -name 'Hefty Water.epub')
cmp "$file" "$library/Unknown/Hefty Water (10)/"*.epub || fail "a book while the library is locked"
same "the library while it is locked" "$before" "$(state_of_tree "$library")"
touch "$TMPDIR/release"
wait "$locker"
shelf --quiet sync

echo "== a book goes, one is renamed, one is replaced"
"$python" - "$library/metadata.db" <<'END'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.create_function("title_sort", 1, lambda title: title)
connection.create_function("uuid4", 0, lambda: "x")
connection.execute("DELETE FROM data WHERE book = 16")
connection.execute("UPDATE books SET title = 'Heavier Water' WHERE id = 10")
connection.commit()
END
replaced=$(find "$library" -path '*(18)/*.epub')
{ printf 'PK\3\4' && head -c 10000 /dev/urandom; } >"$TMPDIR/new.epub"
mv "$TMPDIR/new.epub" "$replaced"
shelf --quiet sync
within 5 test -e "$(dirname "$file")/Heavier Water.epub" || fail "a book that was renamed"
within 5 test ! -e "$file" || fail "the former name is still there"
is_gone() { [ -z "$(find "$mount" -name "$1")" ]; }
within 5 is_gone '간단한*' || fail "a book without its file is still there"
is_replaced() { cmp "$(find "$mount" -name 'Quick Start Guide.epub' -print -quit)" "$replaced"; }
within 5 is_replaced || fail "a book that was replaced"
unmount_shelf "$mount"

echo "== refusals"
refuses 1 "no Calibre library" shelf source add other "$TMPDIR" --kind calibre
refuses 2 "folder of this machine" shelf source add other http://127.0.0.1/ --kind calibre
mv "$library/metadata.db" "$TMPDIR/metadata.db"
refuses 1 "there is no Calibre library" shelf sync
same "books without the library" "$((count))" "$(shelf --json list --all | jq .total)"
