#!/usr/bin/env bash
# The store API: its document is OpenAPI 3.1 and its examples fit, a store answers as it says, and a shelf is filled from one.
# beside others
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs_program openapi
document=$repository/docs/store-api.yaml

check() {
    "$program_directory/python" "$steps_directory/check-store-api" "$@"
}

echo "== the document"
check "$document"
refuses_document() {
    sed "$1" "$document" >"$TMPDIR/wrong.yaml"
    ! cmp -s "$document" "$TMPDIR/wrong.yaml" || fail "nothing is replaced by $1"
    if check "$TMPDIR/wrong.yaml" >"$TMPDIR/said"; then fail "a document is taken after $1"; fi
    echo "as it should: $(head -n 1 "$TMPDIR/said")"
}
refuses_document 's/outcome: conflict$/outcome: quarrel/'
refuses_document 's/^openapi: .*/openapi: 3.1.0\nsurprise: 1/'
refuses_document 's/status: 410}/status: gone}/'

echo "== a store that keeps to it, and is read by it"
start_fault_server "$TMPDIR/server"
base=http://127.0.0.1:$fault_port
check "$document" --server "$base"
sed 's/^        title: {type: string, minLength: 1}$/        title: {type: integer}/' "$document" >"$TMPDIR/wrong.yaml"
if check "$TMPDIR/wrong.yaml" --server "$base" >"$TMPDIR/said"; then fail "answers are taken that don't fit"; fi
echo "as it should: $(head -n 1 "$TMPDIR/said")"

echo "== the example is a catalog"
check "$document" --example >"$TMPDIR/example.json"
same "what import makes of it" "2 0" "$(shelf --json import "$TMPDIR/example.json" | jq -r '.sources[0] | "\(.added) \(.skipped | length)"')"
shelf --quiet source remove import

echo "== a shelf from the store"
touch "$TMPDIR/server/open"
shelf --quiet source add store "$base/catalog.json"
shelf --quiet sync
mount_shelf "$TMPDIR/shelf" --sync-interval 1d
same "books" "Fiction/The Lamp Room.epub" "$(cd "$TMPDIR/shelf" && find . -type f -printf '%P\n')"
cp "$TMPDIR/shelf/Fiction/The Lamp Room.epub" "$TMPDIR/copy"
curl --silent --fail "$base/content/novel-01/1" | cmp - "$TMPDIR/copy" || fail "the copy isn't what the store has"
same "a sync of what is unchanged" true "$(shelf --json sync | jq '.sources[0].notModified')"
rm "$TMPDIR/server/open"
refuses 1 "401" shelf sync
same "books while a login is needed" 2 "$(shelf --json list --all | jq .total)"
unmount_shelf "$TMPDIR/shelf"
