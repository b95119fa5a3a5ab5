#!/usr/bin/env bash
# A proxy that the environment names: catalog and books come through it, what is on this machine doesn't, and a dead one is said to be that.
# beside others
# seconds: 90
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root"
make_books "$root/catalog.json" 3
start_nginx "$root"

echo "== through it"
export http_proxy=http://127.0.0.1:$port
shelf --quiet source add far "http://books.invalid/catalog.json" --allow-http
shelf --quiet sync
same "books" 3 "$(shelf --json list | jq .total)"
mount_shelf "$mount" --sync-interval 1d
file=$(find "$mount" -name '*.epub' -print -quit)
cp "$file" "$TMPDIR/copy" || fail "a book doesn't come through the proxy"
same "books that came through it" 1 "$(requests '^GET 200 /books/')"

echo "== not for this machine"
export http_proxy=http://127.0.0.1:1
shelf --quiet source add near "http://127.0.0.1:$port/catalog.json"
shelf --quiet sync near
refuses 1 "Couldn't connect" shelf sync far
no_proxy=books.invalid refuses 1 "resolve" shelf sync far
unmount_shelf "$mount"
