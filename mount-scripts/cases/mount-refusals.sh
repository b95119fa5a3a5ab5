#!/usr/bin/env bash
# What can't be mounted is refused with one line that says why and what to do, and leaves nothing behind.
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

[ -e /dev/fuse ] || skip "needs /dev/fuse"

if [ "${1:-}" = "" ] && can_change_user; then
    needs_public_build
    exec "$steps_directory/in-private-mounts" "$case_file" inside
fi

nothing_left() {
    ! grep -F "$HOME" /proc/self/mounts | grep ' fuse' || fail "something is mounted"
    same "driver processes" "" "$(pgrep -f '^bookshelf driver' | while read -r pid; do
        grep -qzxF "HOME=$HOME" "/proc/$pid/environ" 2>/dev/null && echo "$pid"
    done)"
}

# Leaves the mount of another program, which has ended, at dead; "$@" is what comes before the command.
leave_dead_mount() {
    "$@" "$python" - "$TMPDIR/dead" <<'END'
import os, socket, subprocess, sys
ours, its = socket.socketpair()
subprocess.run(["fusermount3", "-o", "fsname=somebody,subtype=other", "--", sys.argv[1]], pass_fds=[its.fileno()],
               env={**os.environ, "_FUSE_COMMFD": str(its.fileno())}, check=True)
# The device comes with the message, and ends with this process.
socket.recv_fds(ours, 1, 1)
END
}

# The refusals that are the same for everybody; $1… is what comes before the command.
for_everybody() {
    refuses 1 "doesn't exist" "$@" "$BOOKSHELF" mount "$TMPDIR/missing"
    refuses 1 "mkdir" "$@" "$BOOKSHELF" mount "$TMPDIR/missing"
    refuses 1 "isn't a directory" "$@" "$BOOKSHELF" mount "$TMPDIR/catalog.json"
    refuses 1 "isn't a directory" "$@" "$BOOKSHELF" mount "$TMPDIR/catalog.json/below"
    refuses 1 "isn't empty" "$@" "$BOOKSHELF" mount "$TMPDIR/full"
    refuses 2 "bookshelf: " "$@" "$BOOKSHELF" mount
    refuses 2 "bookshelf: " "$@" "$BOOKSHELF" mount "$TMPDIR/empty" "$TMPDIR/other"
    refuses 2 "frobnicate" "$@" "$BOOKSHELF" mount "$TMPDIR/empty" -o frobnicate
    refuses 2 "samples" "$@" "$BOOKSHELF" mount "$TMPDIR/empty" --samples perhaps
    refuses 2 "not available in this version" "$@" "$BOOKSHELF" mount "$TMPDIR/empty" --views downloaded
    refuses 2 $'at character 11: no field is called \u201ccolour\u201d' "$@" "$BOOKSHELF" mount "$TMPDIR/empty" --layout '{author}/{colour} {title}'
    refuses 2 "sync" "$@" "$BOOKSHELF" mount "$TMPDIR/empty" --sync-interval soon
    nothing_left
    leave_dead_mount "$@"
    refuses 1 "another program that has ended" "$@" "$BOOKSHELF" mount "$TMPDIR/dead"
    refuses 1 "no shelf is mounted" "$@" "$BOOKSHELF" unmount "$TMPDIR/dead"
    is_mounted "$TMPDIR/dead" || fail "the mount of somebody else was taken away"
    "$@" fusermount3 -u "$TMPDIR/dead"
    "$@" "$BOOKSHELF" --quiet mount "$TMPDIR/empty"
    mounted_paths+=("$TMPDIR/empty")
    refuses 1 "already" "$@" "$BOOKSHELF" mount "$TMPDIR/other"
    refuses 1 "$TMPDIR/empty" "$@" "$BOOKSHELF" mount "$TMPDIR/other"
    refuses 1 "already" "$@" "$BOOKSHELF" mount "$TMPDIR/empty"
    # Nobody to tell, nobody to ask: it is done all the same.
    # shellcheck disable=SC2016  # expands there
    for descriptors in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        "$@" bash -c '"$0" --profile closed mount "$1" '"$descriptors" "$BOOKSHELF" "$TMPDIR/closed-mount" || fail "mount $descriptors"
        is_mounted "$TMPDIR/closed-mount" || fail "not mounted: $descriptors"
        "$@" bash -c '"$0" --profile closed unmount "$1" '"$descriptors" "$BOOKSHELF" "$TMPDIR/closed-mount" || fail "unmount $descriptors"
    done
    # What a file asks for and isn't there yet is no error, and the log says so.
    "$@" mkdir -p "$XDG_CONFIG_HOME/bookshelf"
    echo 'views = titles,recent' | "$@" tee "$XDG_CONFIG_HOME/bookshelf/closed.conf" >/dev/null
    "$@" "$BOOKSHELF" --quiet --profile closed mount "$TMPDIR/closed-mount"
    "$@" "$BOOKSHELF" --quiet --profile closed unmount "$TMPDIR/closed-mount"
    grep -q 'the view recent is not available in this version' "$XDG_STATE_HOME/bookshelf/closed/bookshelf.log" || fail "no warning in the log"
    # Another profile may mount elsewhere, and not on the same place.
    refuses 1 "already" "$@" "$BOOKSHELF" --profile second mount "$TMPDIR/empty"
    "$@" "$BOOKSHELF" --quiet --profile second mount "$TMPDIR/other"
    "$@" "$BOOKSHELF" --quiet --profile second unmount "$TMPDIR/other"
    "$@" ls "$TMPDIR/empty" >/dev/null || fail "the first mount is gone"
    echo "== unmounting"
    # Somebody is in it.
    rm -f "$TMPDIR/inside"
    "$@" "$python" -c 'import os, sys, time; os.chdir(sys.argv[1]); print(os.getpid(), flush=True); time.sleep(60)' \
        "$TMPDIR/empty" >"$TMPDIR/inside" &
    local holder
    within 10 test -s "$TMPDIR/inside"
    holder=$(cat "$TMPDIR/inside")
    remember "$holder"
    refuses 1 "in use" "$@" "$BOOKSHELF" unmount "$TMPDIR/empty"
    end_process "$holder"
    "$@" "$BOOKSHELF" --quiet unmount "$TMPDIR/empty"
    refuses 1 "no shelf is mounted" "$@" "$BOOKSHELF" unmount "$TMPDIR/empty"
    refuses 1 "no shelf is mounted" "$@" "$BOOKSHELF" unmount "$TMPDIR/full"
    refuses 1 "no shelf is mounted" "$@" "$BOOKSHELF" unmount "$TMPDIR/missing"
    refuses 1 "no shelf is mounted" "$@" "$BOOKSHELF" unmount /
    nothing_left
}

make_books "$TMPDIR/catalog.json" 3
mkdir -p "$TMPDIR/full/x" "$TMPDIR/empty" "$TMPDIR/other" "$TMPDIR/dead" "$TMPDIR/closed-mount"
if [ "${1:-}" != inside ]; then
    needs_fuse
    shelf --quiet import "$TMPDIR/catalog.json"
    for_everybody
    exit 0
fi

echo "== as root"
shelf --quiet import "$TMPDIR/catalog.json"
for_everybody
# The directories of a profile on a disk that can't be written.
for directory in "$XDG_DATA_HOME/bookshelf/default" "$XDG_STATE_HOME/bookshelf/default"; do
    mount --bind "$directory" "$directory"
    mount -o remount,bind,ro "$directory"
    for command in "source add a $TMPDIR/catalog.json" "source remove a" "import $TMPDIR/catalog.json" sync list status "mount $TMPDIR/empty"; do
        # shellcheck disable=SC2086  # words
        refuses 1 "can't write in the directory $directory: Read-only file system; make it writable" "$BOOKSHELF" $command
    done
    umount "$directory"
done
mkdir -p "$XDG_CONFIG_HOME/bookshelf"
chmod 700 "$XDG_CONFIG_HOME/bookshelf"
mount --bind "$XDG_CONFIG_HOME/bookshelf" "$XDG_CONFIG_HOME/bookshelf"
mount -o remount,bind,ro "$XDG_CONFIG_HOME/bookshelf"
refuses 1 "can't write in the directory $XDG_CONFIG_HOME/bookshelf: Read-only file system" "$BOOKSHELF" mount "$TMPDIR/empty" --samples never
umount "$XDG_CONFIG_HOME/bookshelf"
nothing_left
# A /dev that lacks one thing.
mkdir "$TMPDIR/dev"
mknod -m 666 "$TMPDIR/dev/null" c 1 3
mknod -m 666 "$TMPDIR/dev/urandom" c 1 9
mount --bind "$TMPDIR/dev" /dev
refuses 1 "modprobe fuse" "$BOOKSHELF" mount "$TMPDIR/empty"
umount /dev
nothing_left

echo "== as a user"
user() {
    setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=+all -- "$@"
}
mknod -m 666 "$HOME/fuse" c 10 229
mount --bind "$HOME/fuse" /dev/fuse
chmod 755 "$HOME" "$TMPDIR"
chown -R 65534:65534 "$HOME"
for_everybody user
mkdir -m 755 "$TMPDIR/roots"
chown 0:0 "$TMPDIR/roots"
refuses 1 "allowed" user "$BOOKSHELF" mount "$TMPDIR/roots"
refuses 1 "root" user "$BOOKSHELF" mount "$TMPDIR/empty" -o uid=0
refuses 1 "root" user "$BOOKSHELF" mount "$TMPDIR/empty" -o umask=022
mkdir -m 700 "$TMPDIR/closed" "$TMPDIR/closed/mount"
chown -R 0:0 "$TMPDIR/closed"
refuses 1 "can't be used" user "$BOOKSHELF" mount "$TMPDIR/closed/mount"
: >"$TMPDIR/fuse.conf"
mount --bind "$TMPDIR/fuse.conf" /etc/fuse.conf
refuses 1 "user_allow_other in /etc/fuse.conf" user "$BOOKSHELF" mount "$TMPDIR/empty" -o allow_other

echo "== /dev/fuse 0600"
chmod 600 "$HOME/fuse"
chown 0:0 "$HOME/fuse"
refuses 1 "/dev/fuse" user "$BOOKSHELF" mount "$TMPDIR/empty"

echo "== no fusermount3"
chmod 666 "$HOME/fuse"
for program in /usr/bin/fusermount3 /bin/fusermount3 /usr/local/bin/fusermount3; do
    if [ -e "$program" ]; then
        mount --bind /dev/null "$program"
    fi
done
refuses 1 "package fuse3" user "$BOOKSHELF" mount "$TMPDIR/empty"

echo "== no /dev/fuse"
umount /dev/fuse
mount --bind "$TMPDIR/dev" /dev
refuses 1 "modprobe fuse" user "$BOOKSHELF" mount "$TMPDIR/empty"
umount /dev
nothing_left
