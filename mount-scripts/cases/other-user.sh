#!/usr/bin/env bash
# A user's mount is the user's alone: nobody else looks in, root included, unless the administrator and the user say so.
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

if can_change_user && [ "${1:-}" != inside ]; then
    needs_public_build
    # In a mount namespace of its own, as root, to become two users in it.
    exec "$steps_directory/in-private-mounts" "$case_file" inside
fi
[ "${1:-}" = inside ] || skip "needs root, to become two users"
mknod -m 666 "$HOME/fuse" c 10 229
mount --bind "$HOME/fuse" /dev/fuse
: >"$HOME/fuse.conf"
mount --bind "$HOME/fuse.conf" /etc/fuse.conf
needs_fuse

as() {
    local user=$1
    shift
    setpriv --reuid="$user" --regid="$user" --clear-groups --bounding-set=+all -- "$@"
}
owner=65534 stranger=65533
mount=$HOME/shelf
mkdir "$mount"
make_books "$TMPDIR/catalog.json" 3
chmod 755 "$HOME" "$TMPDIR"
chown -R "$owner:$owner" "$HOME"
as "$owner" "$BOOKSHELF" --quiet import "$TMPDIR/catalog.json"
mounted_paths+=("$mount")
as "$owner" "$BOOKSHELF" --quiet mount "$mount"
book=$(as "$owner" find "$mount" -name '*.epub' | sort | sed -n 1p)
as "$owner" cat "$book" >/dev/null || fail "the owner can't read"

for user in "$stranger" 0; do
    for command in "ls $mount" "stat $mount/Fiction" "cat $mount/History/Book 1.epub" "cd $mount"; do
        status=0
        as "$user" bash -c "${command/Book 1/Book\\ 1}" >"$TMPDIR/peek" 2>&1 || status=$?
        [ "$status" != 0 ] || fail "user $user can: $command"
        grep -q 'Permission denied' "$TMPDIR/peek" || fail "user $user: $command: $(cat "$TMPDIR/peek")"
    done
done

echo "== private files"
for path in "$XDG_DATA_HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"; do
    same "files of others' in $path" "" "$(find "$path/bookshelf" \( -type f -o -type s \) -perm /077 2>/dev/null)"
done
refuses 1 "" as "$stranger" env HOME="$HOME" "$BOOKSHELF" unmount "$mount"
is_mounted "$mount" || fail "a stranger has unmounted it"
as "$owner" "$BOOKSHELF" --quiet unmount "$mount"

echo "== allow_other"
refuses 1 "user_allow_other in /etc/fuse.conf" as "$owner" "$BOOKSHELF" mount "$mount" -o allow_other
! is_mounted "$mount" || fail "it's mounted all the same"
echo user_allow_other >"$HOME/fuse.conf"
as "$owner" "$BOOKSHELF" --quiet mount "$mount" -o allow_other || fail "allow_other"
as "$stranger" cat "$book" | cmp - "$TMPDIR/books/$(basename "$book" | sed 's/Book /book-/')" || fail "a stranger can't read in spite of allow_other"
if as "$stranger" touch "$mount/Fiction/x" 2>"$TMPDIR/peek"; then fail "a stranger can write"; fi
grep -q 'Read-only file system' "$TMPDIR/peek" || fail "$(cat "$TMPDIR/peek")"
as "$owner" "$BOOKSHELF" --quiet unmount "$mount"
