#!/usr/bin/env bash
# Damaged pages of the catalog, while it is mounted and while it isn't: it is rebuilt, what was on the shelf stays there
# under the same inodes, content on disk isn't fetched again, and a sync brings the rest.
# seconds: 200
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

mount=$TMPDIR/shelf

# What a statement finds in the catalog, a line for each row: sql ro|rw STATEMENT.
sql() {
    "$python" - "$database" "$@" <<'END'
import sqlite3, sys
path, mode, statement = sys.argv[1:]
database = sqlite3.connect(f"file:{path}?mode={mode}", uri=True)
with database:
    for row in database.execute(statement):
        print(*row, sep="|")
database.close()
END
}

# The page in the middle of a table or index.
page_of() {
    sql ro "SELECT pageno FROM dbstat WHERE name = '$1' AND pagetype = 'leaf' ORDER BY path" |
        awk '{ page[NR] = $1 } END { print page[int((NR + 1) / 2)] }'
}

damage() {
    sql rw "PRAGMA wal_checkpoint(TRUNCATE)" >/dev/null
    dd if=/dev/zero of="$database" bs=4096 seek=$(($(page_of "$1") - 1)) count=1 conv=notrunc status=none
}

inodes() {
    (cd "$mount" && find . -type f -printf '%i %p\n' | sort -k 2)
}

rebuilt() {
    [ "$(find "$(dirname "$database")" -name 'catalog.db.damaged-*' ! -name '*-wal' | wc -l)" = "$1" ] &&
        [ ! -e "$database.needs-rebuilding" ]
}

intact() {
    same "the integrity of the catalog" ok "$(sql ro 'PRAGMA integrity_check')"
}

make_books "$TMPDIR/catalog.json" 300
shelf --quiet import "$TMPDIR/catalog.json"
database=$(status_of .paths.catalog)
sql rw "INSERT INTO annotation (book, kind, value, changed_at) SELECT id, 'note', 'mine', 1 FROM book"
mount_shelf "$mount"
inodes >"$TMPDIR/before"
(cd "$mount" && find . -type f -exec sha256sum {} + | sort -k 2) >"$TMPDIR/sums"
unmount_shelf "$mount"

echo "== not mounted: an index, a table"
for tree in book book_key personal; do
    damage "$tree"
    # Whoever meets it says what the next command does; who doesn't isn't bothered.
    for command in "import $TMPDIR/catalog.json" "list --all"; do
        # shellcheck disable=SC2086  # words
        shelf --quiet $command >/dev/null 2>"$TMPDIR/met" || grep -qF "rebuilds it" "$TMPDIR/met" || fail "$(cat "$TMPDIR/met")"
    done
    shelf --json list --all 2>"$TMPDIR/said" | jq -e '.books | length == 300' >/dev/null || fail "books after $tree: $(cat "$TMPDIR/said")"
    [ ! -e "$database.needs-rebuilding" ] || fail "$tree: still marked"
    # It also counts how often the catalog was rebuilt within the hour.
    rm -f "$database.mark"
done
shelf --quiet import "$TMPDIR/catalog.json"
intact
same "notes" 300 "$(sql ro "SELECT count(*) FROM annotation AS a JOIN book AS b ON b.id = a.book WHERE value = 'mine'")"
mount_shelf "$mount"
inodes | cmp - "$TMPDIR/before" || fail "the tree isn't what it was"

echo "== mounted: met by who reads the mount"
unmount_shelf "$mount"
damage dentry_name
mount_shelf "$mount"
former=$(worker)
count=$(find "$(dirname "$database")" -name 'catalog.db.damaged-*' ! -name '*-wal' | wc -l)
# By name, which needs the index. Some of them can't be found, and nothing else happens to who asks.
(cd "$mount" && cut -d ' ' -f 2- "$TMPDIR/before" | tr '\n' '\0' | xargs -0 stat >/dev/null 2>"$TMPDIR/met") || true
grep -qF "Input/output error" "$TMPDIR/met" || fail "nobody met the damage: $(head -3 "$TMPDIR/met")"
within 20 rebuilt $((count + 1)) || fail "the driver rebuilt nothing: $(ls "$(dirname "$database")")"
within 20 has_other_worker "$former" || fail "the same worker goes on"
within 20 test -d "$mount/." || fail "the mount is gone"
intact
same "files on the shelf" 300 "$(find "$mount" -type f | wc -l)"
same "the same inodes" "$(cut -d ' ' -f 1 "$TMPDIR/before" | sort)" "$(inodes | cut -d ' ' -f 1 | sort)"
(cd "$mount" && find . -type f -exec sha256sum {} + | sort -k 2) | cmp - "$TMPDIR/sums" || fail "other bytes"
contains "$(status_of '.errors[] | select(.id == null) | .reason')" "was rebuilt" || fail "status says nothing of it"

echo "== mounted: met by a command; what comes afterwards shows by itself"
damage version
shelf --quiet import "$TMPDIR/catalog.json" >/dev/null 2>&1 || true
shelf --quiet import "$TMPDIR/catalog.json" 2>"$TMPDIR/said" || fail "import after the damage: $(cat "$TMPDIR/said")"
all_there() { [ "$(find "$mount" -type f | wc -l)" = 300 ]; }
within 20 all_there || fail "books are missing: $(find "$mount" -type f | wc -l)"
intact
(cd "$mount" && find . -type f -exec sha256sum {} + | sort -k 2) | cmp - "$TMPDIR/sums" || fail "other bytes"
unmount_shelf "$mount"

echo "== no database at all"
rm -f "$database.mark"
head -c 100000 /dev/urandom >"$database"
shelf --quiet import "$TMPDIR/catalog.json" 2>"$TMPDIR/said" || fail "import over noise: $(cat "$TMPDIR/said")"
grep -qF "was rebuilt" "$TMPDIR/said" || fail "nothing was said: $(cat "$TMPDIR/said")"
same "books" 300 "$(shelf --json list --all | jq '.books | length')"
intact
