#!/usr/bin/env bash
# Root's mount: every write is refused as promised, and the kernel's table says read-only.
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

[ "$(id -u)" = 0 ] || skip "needs root"
needs_fuse
mount=$TMPDIR/shelf
make_books "$TMPDIR/catalog.json" 6
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$mount"
grep -F " $mount fuse" /proc/self/mounts
contains ",$(grep -F " $mount fuse" /proc/self/mounts | cut -d ' ' -f 4)," ,ro, || fail "/proc/mounts doesn't say ro"
find "$mount" -printf '%p %m %s %T@ %i %U %G\n' | sort >"$TMPDIR/before"
book=$(find "$mount" -name '*.epub' | sort | sed -n 1p)
mkdir "$TMPDIR/room"
"$python" "$steps_directory/try-writes" root "$book" "$TMPDIR/room" || fail "a write was answered otherwise"
find "$mount" -printf '%p %m %s %T@ %i %U %G\n' | sort | diff "$TMPDIR/before" - || fail "something has changed"
cmp "$book" "$TMPDIR/books/$(jq -r --arg title "$(basename "$book" .epub)" '.[] | select(.title == $title).contentUrl' "$TMPDIR/catalog.json" | cut -d / -f 2)"
unmount_shelf "$mount"
