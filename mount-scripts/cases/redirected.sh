#!/usr/bin/env bash
# A store that redirects: to another port, another name, a subdomain, from https to http. The book arrives or not; who asked is never told.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs openssl
server=$TMPDIR/server other=$TMPDIR/other mount=$TMPDIR/shelf size=20000
mkdir -p "$server" "$other"
start_account_server "$other"
other_port=$account_port
start_account_server "$server"
base=http://127.0.0.1:$account_port
for number in {1..9}; do echo "Book-$number /redirected/$size/Book-$number $size"; done | fault_catalog "$server/catalog.json" "$base"
shelf --quiet source add shop "$base/catalog.json"
touch "$server/approved"
shelf login shop >/dev/null 2>&1
shelf --quiet sync
mount_shelf "$mount" --sync-interval 1d

# Reads the book $1 while the store redirects to $2; fails unless it is right.
arrives() {
    echo "$2" >"$server/redirect"
    cp "$mount/Books/Book-$1.epub" "$TMPDIR/copy" || fail "redirected to $2"
    cmp "$TMPDIR/copy" <(fault_book "/books/$size/Book-$1") || fail "another book, redirected to $2"
}

# Reads the book $1 while the store redirects to $2, which must fail.
is_refused() {
    echo "$2" >"$server/redirect"
    if cp "$mount/Books/Book-$1.epub" "$TMPDIR/copy" 2>"$TMPDIR/error"; then fail "followed to $2"; fi
    grep -q "Input/output error" "$TMPDIR/error" || fail "$(cat "$TMPDIR/error")"
}

echo "== to another place of the same server, with who asks"
arrives 1 "$base/open"
grep -q "^GET /open/redirected/$size/Book-1 200 - Bearer device" "$server/log" || fail "$(cat "$server/log")"

echo "== to another port, another name, a name below that one"
arrives 2 "http://127.0.0.1:$other_port/open"
arrives 3 "http://localhost:$other_port/open"
arrives 4 "http://localhost:$account_port/open"
arrives 5 "http://cdn.localhost:$other_port/open"
arrives 6 "http://ann:pass@127.0.0.1:$other_port/open"
same "requests there" 4 "$(grep -c "^GET /open" "$other/log")"
same "who asked there" "- -" "$(cut -d ' ' -f 5-6 "$other/log" | sort -u)"
grep -q "^GET /open/redirected/$size/Book-4 200 - - -" "$server/log" || fail "another name of the same machine was told who asks"

echo "== to what isn't http, and to plain http elsewhere"
is_refused 7 "file:///etc/hostname?"
is_refused 8 "http://0.0.0.0:$other_port/open"
same "requests there still" 4 "$(grep -c "^GET /open" "$other/log")"

echo "== round and round"
is_refused 9 "$base"
unmount_shelf "$mount"
