#!/usr/bin/env bash
# A real Calibre content server that wants Digest and states other sizes than it sends: walked to the last page, every EPUB copied right.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

for program in calibre-server calibredb; do
    command -v "$program" >/dev/null || skip "needs $program, which isn't installed by itself: apt-get install --no-install-recommends calibre"
done
needs curl jq
needs_fuse
corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}/calibre-library
[ -f "$corpus/metadata.db" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with calibre-library"
mount=$TMPDIR/shelf library=$TMPDIR/library
export QT_QPA_PLATFORM=offscreen CALIBRE_CONFIG_DIRECTORY=$TMPDIR/calibre CALIBRE_TEMP_DIR=$TMPDIR
cp -r "$corpus" "$library"
chmod -R u+w "$library"
calibre-server --userdb "$TMPDIR/users.sqlite" --manage-users -- add ann "$secret_digest" >/dev/null
port=$(free_port)
base=http://127.0.0.1:$port
calibre-server --port "$port" --listen-on 127.0.0.1 --userdb "$TMPDIR/users.sqlite" --enable-auth --auth-mode digest \
    --max-opds-items 10 --disable-use-bonjour --access-log "$TMPDIR/access.log" "$library" >"$TMPDIR/server.log" 2>&1 &
remember $!
within 30 curl --silent --output /dev/null "$base/" || fail "calibre-server didn't start: $(cat "$TMPDIR/server.log")"

echo "== a login is needed"
shelf --quiet source add server "$base/opds"
refuses 1 "401" shelf sync
shelf --quiet source remove server
shelf source add server "http://ann:$(url_encoded "$secret_digest")@127.0.0.1:$port/opds" >"$TMPDIR/added"
contains "$(cat "$TMPDIR/added")" "kind opds" || fail "the feed isn't recognised: $(cat "$TMPDIR/added")"

echo "== walked to the last page"
shelf --json sync >"$TMPDIR/sync.json" || fail "$(cat "$TMPDIR/sync.json")"
count=$(find "$library" -name '*.epub' | wc -l)
[ "$count" -gt 20 ] || fail "only $count books in the library"
same "books with content" "$count" "$(shelf --json list --all | jq '[.books[] | select(.state == "placeholder")] | length')"
same "skipped" 0 "$(jq '.sources[0].skipped | length' "$TMPDIR/sync.json")"
shelf --json sync | jq -e '.sources[0] | .added + .removed == 0' >/dev/null || fail "a second sync changes something"

echo "== every EPUB copied"
mount_shelf "$mount" --sync-interval 1d
mkdir "$TMPDIR/copies"
sizes=$(find "$mount" -type f -printf '%i %s\n' | sort -u | cut -d ' ' -f 2 | sort)
find "$mount" -type f -printf '%i\n' | sort -u >"$TMPDIR/inodes"
same "files" "$count" "$(wc -l <"$TMPDIR/inodes")"
while read -r inode; do
    file=$(find "$mount" -inum "$inode" -print -quit)
    cp "$file" "$TMPDIR/copies/$inode.epub" || fail "cp of $file: $(status_of .errors)"
done <"$TMPDIR/inodes"
same "sizes before reading, which aren't those in the feed" "$sizes" "$(stat -c %s "$TMPDIR"/copies/* | sort)"
for file in "$TMPDIR"/copies/*; do sha256sum <"$file"; done | sort >"$TMPDIR/got"
"$python" -c 'import sqlite3, sys; [print(*row) for row in sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute(
    "SELECT book FROM data WHERE format = ?", ("EPUB",))]' "$library/metadata.db" | while read -r id; do
    curl --silent --fail --digest --user "ann:$secret_digest" "$base/get/epub/$id/library" | sha256sum
done | sort >"$TMPDIR/wanted"
cmp "$TMPDIR/wanted" "$TMPDIR/got" || fail "the copies aren't what the server sends"
[ "$(stat -c %s "$TMPDIR"/copies/* | sort)" != "$(find "$library" -name '*.epub' -printf '%s\n' | sort)" ] ||
    echo "this server sends files as they lie"
unmount_shelf "$mount"
