#!/usr/bin/env bash
# A store behind a real web server: what is unchanged writes nothing, whatever ETag it has; what changes shows within two seconds.
# seconds: 180
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl inotifywait
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf events=$TMPDIR/events
# The promise is two seconds; a loaded machine gets some more before the case fails.
patience=10

now() { date +%s%N; }

# Syncs, and prints whether the database is the same as before, and what came of it. The same means: the bytes of the database and of its
# log, how many rows each table has, and that nobody has committed anything since it was opened here (data_version).
around_sync() {
    "$python" - "$BOOKSHELF" "$XDG_DATA_HOME/bookshelf/default/catalog.db" "$@" <<'END'
import hashlib, json, os, sqlite3, subprocess, sys
command, database, *names = sys.argv[1:]
connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, isolation_level=None)

def look():
    tables = [row[0] for row in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE 'CREATE VIRTUAL%'")]
    return {"version": connection.execute("PRAGMA data_version").fetchone()[0],
            "rows": {table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in tables},
            # Read by others that way: a file of a database that is closed here would lose the locks of this process.
            "bytes": [subprocess.run(["sha256sum", database + suffix], stdout=subprocess.PIPE).stdout.decode()
                      if os.path.exists(database + suffix) else None for suffix in ("", "-wal")]}

before = look()
answer = json.loads(subprocess.run([command, "--json", "sync", *names], stdout=subprocess.PIPE).stdout)["sources"][0]
after = look()
print("same" if before == after else "changed", *(answer[key] for key in ("notModified", "added", "updated", "removed")))
if before != after:
    print(json.dumps([before, after]), file=sys.stderr)
END
}

mkdir -p "$root"
make_books "$root/catalog.json" 8 'map(.category = "Shelf")'
# One that takes seconds to come.
"$python" -c 'import os, sys; open(sys.argv[1], "wb").write(b"PK\3\4" + os.urandom(6_000_000))' "$root/books/slow.epub"
jq --arg sum "$(sha256sum <"$root/books/slow.epub" | cut -d ' ' -f 1)" '. + [{id: "slow", title: "Slow", category: "Shelf", isPurchased: true,
    contentUrl: "../books/slow.epub", fileSizeInBytes: 6000004, sha256: $sum}] | map(.contentUrl |= "/books/" + (split("/")[-1]))' \
    "$root/catalog.json" >"$root/next.json"
mv "$root/next.json" "$root/catalog.json"
# nginx itself makes a strong ETag, and a weak one of what it compresses. Others mark what is compressed, as Apache does: some know
# the marked one again, some don't.
start_nginx "$root" "
    location = /books/slow.epub { limit_rate 1m; }
    location /strong/ { alias $root/; }
    location /weak/ { alias $root/; gzip on; gzip_types application/json; gzip_min_length 1; }
    location /suffixed/ { alias $root/; etag off; if_modified_since off; add_header ETag '\"5f3a-gzip\"';
        if (\$http_if_none_match = '\"5f3a-gzip\"') { return 304; } }
    location /forgetful/ { alias $root/; etag off; if_modified_since off; add_header ETag '\"5f3a-gzip\"';
        if (\$http_if_none_match = '\"5f3a\"') { return 304; } }
    location /absent/ { alias $root/; etag off; }
    location /nothing/ { alias $root/; etag off; if_modified_since off; add_header Last-Modified ''; }"
base=http://127.0.0.1:$port
fields_of() {
    curl --silent --output /dev/null --dump-header - --header 'Accept-Encoding: gzip' "$base/$1/catalog.json" | tr -d '\r' |
        sed -n 's/^\(ETag\|Last-Modified\): //p' | xargs -d '\n'
}

for kind in strong weak suffixed forgetful absent nothing; do
    echo "== $kind: $(fields_of $kind)"
    case $kind in
        strong) wanted='*GMT "*"' ;;
        weak) wanted='*GMT W/"*"' ;;
        suffixed | forgetful) wanted='*"5f3a-gzip"*' ;;
        absent) wanted='*GMT' ;;
        nothing) wanted='' ;;
    esac
    # shellcheck disable=SC2053  # a pattern
    [[ $(fields_of $kind) == $wanted ]] || fail "the server sends $(fields_of $kind)"
    shelf --quiet source add "$kind" "$base/$kind/catalog.json"
    shelf --quiet sync "$kind"
    same "books" 9 "$(shelf --json list | jq .total)"
    anchor=$(status_of .catalog.anchor)
    case $kind in
        # Whether or not the server knows that it is unchanged, nothing is.
        forgetful | nothing) status=200 expected="False 0 0 0" ;;
        *) status=304 expected="True 0 0 0" ;;
    esac
    for mounted in no yes; do
        [ $mounted = no ] || mount_shelf "$mount" --sync-interval 1d
        : >"$access_log"
        came=$(around_sync "$kind")
        same "what the server said" "GET $status /$kind/catalog.json" "$(cat "$access_log")"
        same "what the sync said, mounted: $mounted" "$expected" "${came#* }"
        [ $status = 200 ] || same "the database around a sync, mounted: $mounted" same "${came%% *}"
        same "changes" "$anchor" "$(status_of .catalog.anchor)"
    done
    unmount_shelf "$mount"
    shelf --quiet source remove "$kind"
done

echo "== one comes, one goes, one is another edition, while all are being read"
shelf --quiet source add store "$base/weak/catalog.json"
shelf --quiet sync
mount_shelf "$mount" --sync-interval 1d
cp -r "$root/books" "$TMPDIR/right"
watch_tree "$events" "$mount" create,delete
exec {revoked}<"$mount/Shelf/Book 1.epub" {edition}<"$mount/Shelf/Book 3.epub" {slow}<"$mount/Shelf/Slow.epub"
dd bs=10000 count=1 status=none <&"$revoked" >"$TMPDIR/revoked"
dd bs=10000 count=1 status=none <&"$edition" >"$TMPDIR/edition"
# Of this one the rest is still on its way.
dd bs=10000 count=1 status=none <&"$slow" >"$TMPDIR/slow"
inode=$(stat -c %i "$mount/Shelf/Book 3.epub")
cp "$root/books/book-2.epub" "$root/books/new.epub"
printf 'PK\003\004 the second edition' >"$root/books/book-3-b.epub"
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }
jq --arg new "$(sum "$root/books/new.epub")" --arg second "$(sum "$root/books/book-3-b.epub")" '
    map(select(.id != "book-1" and .id != "slow"))
    | map(if .id == "book-3" then .contentUrl = "/books/book-3-b.epub" | .fileSizeInBytes = 23 | .sha256 = $second else . end)
    | . + [{id: "new", title: "New", category: "Shelf", isPurchased: true, contentUrl: "/books/new.epub",
            fileSizeInBytes: (map(select(.id == "book-2"))[0].fileSizeInBytes), sha256: $new}]' "$root/catalog.json" >"$root/next.json"
mv "$root/next.json" "$root/catalog.json"
came=$(around_sync store 2>/dev/null)
begin=$(now)

# How long ago the sync ended; ends the case where that is too long.
waited() {
    local took=$((($(now) - begin) / 1000000))
    [ "$took" -lt $((patience * 1000)) ] || fail "$1 isn't there $took ms after the sync; seen: $(cat "$events")"
    echo "$took"
}
listing="Book 2.epub,Book 3.epub,Book 4.epub,Book 5.epub,Book 6.epub,Book 7.epub,Book 8.epub,New.epub,"
until [ "$(find "$mount/Shelf" -type f -printf '%f\n' | sort | tr '\n' ',')" = "$listing" ]; do
    waited "the new listing" >/dev/null
    sleep 0.02
done
echo "listed $(waited listing) ms after the sync"
for event in "CREATE $mount/Shelf/New.epub" "DELETE $mount/Shelf/Book 1.epub" "DELETE $mount/Shelf/Slow.epub" \
    "DELETE $mount/Shelf/Book 3.epub" "CREATE $mount/Shelf/Book 3.epub"; do
    until grep -qxF "$event" "$events"; do
        waited "$event" >/dev/null
        sleep 0.02
    done
    echo "announced $(waited "$event") ms after the sync: ${event/"$mount/"/}"
done
same "the database around this sync, and what it said" "changed False 1 1 2" "$came"
cat <&"$revoked" >>"$TMPDIR/revoked" || fail "what was revoked can't be read on by who has it open"
cmp "$TMPDIR/revoked" "$TMPDIR/right/book-1.epub" || fail "what was revoked, read to its end"
cat <&"$edition" >>"$TMPDIR/edition" || fail "the old edition can't be read on by who has it open"
cmp "$TMPDIR/edition" "$TMPDIR/right/book-3.epub" || fail "the old edition, read to its end"
cat <&"$slow" >>"$TMPDIR/slow" || fail "what was revoked while it came can't be read on by who has it open: $(status_of .errors)"
cmp "$TMPDIR/slow" "$TMPDIR/right/slow.epub" || fail "what was revoked while it came, read to its end"
exec {revoked}<&- {edition}<&- {slow}<&-
[ "$(stat -c %i "$mount/Shelf/Book 3.epub")" != "$inode" ] || fail "the new edition has the old inode"
cmp "$mount/Shelf/Book 3.epub" "$root/books/book-3-b.epub" || fail "the new edition"
cmp "$mount/Shelf/New.epub" "$root/books/new.epub" || fail "the new book"
end_process "$watcher"
unmount_shelf "$mount"
