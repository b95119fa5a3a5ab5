#!/usr/bin/env bash
# passthrough=on, as root: the kernel reads whole books by itself, whatever becomes of the worker; everything else is read as without.
# seconds: 180
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

[ "$(id -u)" = 0 ] || skip "needs root"
needs_fuse
needs strace
mount=$TMPDIR/shelf
export BOOKSHELF_PASSTHROUGH=on

log_says() { grep -qF -- "$1" "$(status_of .paths.log)"; }
content() { echo "$TMPDIR/books/book-$1.epub"; }

book() {
    local category=(Fiction History 小说)
    echo "$mount/${category[$(($1 % 3))]}/Book $1.epub"
}

# Starts to write down the reads of the worker that serves now; stop_watching ends that.
watch_worker() {
    strace -f -q -e trace=splice,preadv,ioctl -o "$TMPDIR/calls" -p "$(worker)" 2>/dev/null &
    watcher=$!
    remember "$watcher"
    within 10 grep -qE '^TracerPid:[[:space:]]*[1-9]' "/proc/$(worker)/status" || fail "strace doesn't get at the worker"
}

# Prints how many answers were given by splice.
stop_watching() {
    kill -INT "$watcher"
    wait "$watcher" 2>/dev/null || true
    grep -c 'splice(' "$TMPDIR/calls" || true
}

# Opens a book and keeps it open: hold NUMBER [FILE]; let_go ends that and expects the bytes of the file.
hold() {
    local wanted=${2:-$(content "$1")}
    mkfifo "$TMPDIR/hold-$1"
    (
        trap - EXIT
        exec 3<"$(book "$1")"
        : >"$TMPDIR/held-$1"
        read -r _ <"$TMPDIR/hold-$1"
        cmp - "$wanted" <&3
    ) &
    holder[$1]=$!
    remember "$!"
    within 10 test -e "$TMPDIR/held-$1" || fail "book $1 can't be opened"
}

let_go() {
    echo >"$TMPDIR/hold-$1"
    wait "${holder[$1]}" || fail "book $1: wrong bytes through a handle opened before"
    rm "$TMPDIR/hold-$1" "$TMPDIR/held-$1"
}
declare -A holder

kill_worker() {
    local old
    old=$(worker)
    kill -KILL "$old"
    within 10 has_other_worker "$old" || fail "no worker after $old"
}

reads_right() {
    cmp "$(book "$1")" "$(content "$1")" || fail "book $1: $2"
}

make_books "$TMPDIR/catalog.json" 12
shelf --quiet import "$TMPDIR/catalog.json"
shelf --quiet fetch id:1 id:2 id:3 id:4 id:5 id:6 id:7 id:8
mount_shelf "$mount"
if log_says "the kernel offers none"; then skip "needs a kernel that offers passthrough, 6.9 or newer"; fi
if grep -q "level=warning" "$(status_of .paths.log)"; then fail "the log warns: $(grep level=warning "$(status_of .paths.log)")"; fi

echo "== a local book isn't read through the driver, a placeholder is"
watch_worker
for number in 1 2 3; do reads_right "$number" "read by the kernel"; done
same "answers with content" 0 "$(stop_watching)"
[ "$(grep -c 'ioctl(' "$TMPDIR/calls")" -ge 6 ] || fail "the kernel was handed no files"
watch_worker
reads_right 9 "read through the driver"
[ "$(stop_watching)" -gt 0 ] || fail "a placeholder was read without the driver"

echo "== a placeholder becomes local: the next open, once the first is closed, is the kernel's"
hold 10
shelf --quiet fetch id:10
reads_right 10 "opened while another has it open in the other mode"
let_go 10
# RELEASE comes behind close.
is_released() { shelf --quiet evict id:10; }
within 10 is_released || fail "book 10 stays open"
shelf --quiet fetch id:10
watch_worker
reads_right 10 "local by now"
same "answers with content" 0 "$(stop_watching)"

echo "== opens and closes of one book by many at once"
for _ in {1..4}; do
    (
        trap - EXIT
        for _ in {1..100}; do cmp "$(book 4)" "$(content 4)" || exit 1; done
    ) &
    remember "$!"
    readers+=("$!")
done
for pid in "${readers[@]}"; do wait "$pid" || fail "an open or a read failed among many"; done

echo "== the worker is killed with handles open in both modes"
hold 5
hold 11
for round in 1 2 3; do
    kill_worker
    reads_right 5 "opened by worker $round, as another had it open"
    reads_right 11 "opened by worker $round in the other mode"
    reads_right 6 "opened by worker $round alone"
done
let_go 5
let_go 11
reads_right 5 "opened anew"

echo "== the worker is killed again and again while one book is opened and closed"
(
    trap - EXIT
    until [ -e "$TMPDIR/stop" ]; do cmp "$(book 7)" "$(content 7)" || exit 1; done
) &
reader=$!
remember "$reader"
for _ in {1..10}; do
    kill_worker
    sleep 0.1
done
touch "$TMPDIR/stop"
wait "$reader" || fail "a reader saw that workers died"

echo "== evicted, removed and damaged while it is open"
hold 1
refuses 1 "open in a program" shelf evict id:1
hold 2
cache=$(status_of .paths.cache)
removed=$(find "$cache/content" -name '*.book' -size "$(stat -c %s "$(content 2)")c")
rm "$removed"
reads_right 2 "removed from the cache, and open"
hold 3
damaged=$(find "$cache/content" -name '*.book' -size "$(stat -c %s "$(content 3)")c")
printf damaged | dd of="$damaged" conv=notrunc status=none
# The handle from before reads the damaged file. Nobody else does: refused at first, and given another identity.
is_right() { cmp "$(book 3)" "$(content 3)"; }
within 10 is_right || fail "book 3 doesn't come back"
log_says "damaged on disk while a program has it open" || fail "the damage isn't in the log"
echo >"$TMPDIR/hold-3"
wait "${holder[3]}" && fail "the handle from before can't have read the right bytes"
echo "== lost by the disk, which keeps size and date, while it is open"
hold 4
lost=$(find "$cache/content" -name '*.book' -size "$(stat -c %s "$(content 4)")c")
touch -r "$lost" "$TMPDIR/date"
printf lost | dd of="$lost" conv=notrunc status=none
touch -r "$TMPDIR/date" "$lost"
if shelf verify id:4 >/dev/null; then fail "verify finds nothing"; fi
is_right() { cmp "$(book 4)" "$(content 4)"; }
within 10 is_right || fail "book 4 doesn't come back"
echo >"$TMPDIR/hold-4"
wait "${holder[4]}" && fail "the handle from before can't have read the right bytes"
let_go 1
let_go 2
reads_right 2 "fetched anew"

echo "== a new edition"
cp "$(content 8)" "$TMPDIR/former"
hold 8 "$TMPDIR/former"
printf 'another edition' >>"$(content 8)"
jq --arg hash "$(sha256sum <"$(content 8)" | cut -d ' ' -f 1)" --argjson size "$(stat -c %s "$(content 8)")" \
    'map(if .id == "book-8" then .sha256 = $hash | .fileSizeInBytes = $size else . end)' "$TMPDIR/catalog.json" >"$TMPDIR/newer.json"
shelf --quiet import "$TMPDIR/newer.json"
is_new() { cmp "$(book 8)" "$(content 8)"; }
within 10 is_new || fail "the new edition isn't there"
let_go 8
unmount_shelf "$mount"

echo "== where it can't be had the log says so once, and reading goes on"
chown -R 65534:65534 "$HOME"
# shellcheck disable=SC2016  # expands there
if ! setpriv --reuid=65534 --regid=65534 --clear-groups -- test -x "$BOOKSHELF" 2>/dev/null; then
    echo "not tried as a user, who can't run $BOOKSHELF"
    exit 0
fi
# shellcheck disable=SC2016  # expands there
"$steps_directory/in-private-mounts" bash -c '
    set -e
    mknod -m 666 "$HOME/fuse" c 10 229
    mount --bind "$HOME/fuse" /dev/fuse
    exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=+all -- bash -euc "$1" bash "$2"' bash '
    "$BOOKSHELF" --quiet mount "$1"
    cat "$1"/*/*.epub >/dev/null
    grep -c "it needs root" "$("$BOOKSHELF" --json status | jq -r .paths.log)" >"$HOME/warnings"
    "$BOOKSHELF" --quiet unmount "$1"' "$mount"
same "warnings in the log" 1 "$(cat "$HOME/warnings")"
