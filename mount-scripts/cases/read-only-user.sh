#!/usr/bin/env bash
# A user's mount, which the kernel doesn't call read-only: the driver refuses every write as promised.
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

if can_change_user; then
    again_as_user
    exit
fi
needs_fuse
mount=$TMPDIR/shelf
make_books "$TMPDIR/catalog.json" 6
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$mount"
same "owner and modes" "$(id -u):$(id -g) 444" "$(find "$mount" -type f -printf '%U:%G %m\n' | sort -u)"
same "owner and modes of directories" "$(id -u):$(id -g) 755" "$(find "$mount" -type d -printf '%U:%G %m\n' | sort -u)"
find "$mount" -printf '%p %m %s %T@ %i %U %G\n' | sort >"$TMPDIR/before"
book=$(find "$mount" -name '*.epub' | sort | sed -n 1p)
mkdir "$TMPDIR/room"
"$python" "$steps_directory/try-writes" user "$book" "$TMPDIR/room" || fail "a write was answered otherwise"
find "$mount" -printf '%p %m %s %T@ %i %U %G\n' | sort | diff "$TMPDIR/before" - || fail "something has changed"
unmount_shelf "$mount"

echo "== with -o ro the kernel says it too"
mount_shelf "$mount" -o ro
contains ",$(grep -F " $mount fuse" /proc/self/mounts | cut -d ' ' -f 4)," ,ro, || fail "/proc/mounts doesn't say ro"
cmp "$book" "$book"
unmount_shelf "$mount"
