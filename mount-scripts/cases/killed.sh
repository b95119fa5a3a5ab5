#!/usr/bin/env bash
# kill -9 of every part of the driver, and of all of it: readers go on or are told, and nothing is lost.
# seconds: 300
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs inotifywait

supervisor() { status_of '.mounts[0].pid'; }

# A process of the supervisor by the last word of its command line.
child() {
    local pid
    # shellcheck disable=SC2013  # one line of numbers
    for pid in $(cat "/proc/$1/task/$1/children"); do
        if grep -qz "^$2\$" "/proc/$pid/cmdline" 2>/dev/null; then echo "$pid"; fi
    done
}

driver_processes() {
    grep --files-with-matches --null-data --fixed-strings --line-regexp "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null |
        cut -d / -f 3 | while read -r pid; do
        if grep -qz '^driver$' "/proc/$pid/cmdline" 2>/dev/null; then echo "$pid"; fi
    done
}

no_driver() {
    [ -z "$(driver_processes)" ]
}

check_tree() {
    (cd "$mount" && find . -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort) | cmp - "$wanted" || fail "$1: the tree isn't what it was"
}

ended() {
    within 15 no_driver || fail "$1: processes left: $(driver_processes)"
    ! is_mounted "$mount" || fail "$1: still mounted"
    [ ! -e "$socket" ] || fail "$1: the socket file is left"
}

new_worker() {
    local pid
    pid=$(child "$1" worker)
    [ -n "$pid" ] && [ "$pid" != "$2" ]
}

body() {
    local pid old copies readers round status events watcher announcer
    mount=$TMPDIR/shelf wanted=$TMPDIR/wanted
    rm -rf "$TMPDIR/out"
    mkdir -p "$TMPDIR/out"
    make_books "$TMPDIR/catalog.json" 60
    jq -r '.[].sha256' "$TMPDIR/catalog.json" | sort >"$wanted"
    shelf --quiet import "$TMPDIR/catalog.json"
    mount_shelf "$mount"
    socket=$(status_of .paths.socket)
    [ -S "$socket" ] || fail "no socket at $socket"

    echo "== the worker, 20 times, while books are copied and read"
    (
        trap - EXIT
        round=0
        while [ ! -e "$TMPDIR/out/stop" ]; do
            round=$((round + 1))
            cp -r "$mount" "$TMPDIR/out/copy" || exit 1
            (cd "$TMPDIR/out/copy" && find . -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort) | cmp - "$wanted" || exit 2
            rm -r "$TMPDIR/out/copy"
            echo "$round" >"$TMPDIR/out/rounds"
        done
    ) &
    copies=$!
    remember "$copies"
    (
        trap - EXIT
        while [ ! -e "$TMPDIR/out/stop" ]; do
            find "$mount" -type f -print0 | xargs -0 -P 4 -n 5 sha256sum | cut -d ' ' -f 1 | sort | cmp - "$wanted" || exit 1
            ls -lR "$mount" >/dev/null || exit 1
        done
    ) &
    readers=$!
    remember "$readers"
    pid=$(supervisor)
    for round in {1..20}; do
        old=$(child "$pid" worker)
        [ -n "$old" ] || fail "no worker"
        kill -KILL "$old"
        within 10 new_worker "$pid" "$old" || fail "no new worker after kill $round"
        # What is open stays, and is said to.
        [ $((round % 4)) != 0 ] || shelf --quiet evict all: 2>/dev/null || true
        sleep "0.$((round * 7 % 5))"
    done
    touch "$TMPDIR/out/stop"
    status=0; wait "$copies" || status=$?
    same "copying while workers die (1 cp failed, 2 wrong bytes)" 0 "$status"
    status=0; wait "$readers" || status=$?
    same "reading while workers die" 0 "$status"
    echo "rounds of cp -r: $(cat "$TMPDIR/out/rounds")"
    check_tree "after killing workers"
    same "the supervisor is the same" "$pid" "$(supervisor)"

    echo "== the announcer"
    events=$TMPDIR/events
    ls -R "$mount" >/dev/null
    watch_tree "$events" "$mount" create,delete
    for round in {1..3}; do
        announcer=$(child "$pid" announcer)
        [ -n "$announcer" ] || fail "no announcer"
        kill -KILL "$announcer"
        jq --argjson n "$round" '. + [.[range($n)] | .id += "-further" | .title += " further"]' "$TMPDIR/catalog.json" >"$TMPDIR/further.json"
        shelf --quiet import "$TMPDIR/further.json"
        within 10 grep -q "CREATE .*/Book $round further.epub" "$events" || fail "not announced after the announcer's death: $(cat "$events")"
    done
    shelf --quiet import "$TMPDIR/catalog.json"
    within 10 grep -q "DELETE .*/Book 3 further.epub" "$events" || fail "no DELETE: $(cat "$events")"
    end_process "$watcher"

    echo "== everything at once"
    # What was evicted may have been read from the kernel's memory since.
    shelf --quiet fetch all:
    mapfile -t all < <(driver_processes)
    [ "${#all[@]}" = 3 ] || fail "expected three processes, got ${all[*]}"
    kill -KILL "${all[@]}"
    within 10 no_driver || fail "processes left: $(driver_processes)"
    mount_shelf "$mount" || fail "mounting again over the mount of a dead driver"
    same "mounts at $mount" 1 "$(grep -cF " $mount fuse" /proc/self/mounts)"
    same "books on disk" 60 "$(status_of .cache.files)"
    check_tree "after killing everything"
    same "nothing was fetched again" 0 "$(status_of .transfers.requests)"
    unmount_shelf "$mount"
    ended "unmount"

    echo "== everything at once in the middle of reading, then unmount"
    mount_shelf "$mount"
    shelf --quiet evict all:
    cp -r "$mount" "$TMPDIR/out/interrupted" 2>/dev/null &
    copies=$!
    sleep 0.1
    mapfile -t all < <(driver_processes)
    kill -KILL "${all[@]}"
    status=0; wait "$copies" || status=$?
    echo "cp ended with $status"
    within 10 no_driver || fail "processes left: $(driver_processes)"
    unmount_shelf "$mount" || fail "unmounting the mount of a dead driver"
    ! is_mounted "$mount" || fail "the dead mount is still there"
    mount_shelf "$mount"
    check_tree "after killing everything while it was read"
    unmount_shelf "$mount"
    ended "unmount"

    echo "== SIGTERM and SIGINT"
    local signal
    for signal in TERM INT; do
        mount_shelf "$mount"
        pid=$(supervisor)
        cat "$mount"/Fiction/*.epub >/dev/null
        kill -s "$signal" "$pid"
        within 10 gone "$pid" || fail "SIG$signal: it goes on"
        ended "SIG$signal"
    done

    echo "== in the foreground"
    for signal in TERM INT unmount; do
        # Its own process group, and SIGINT as a terminal would have it: background jobs of a shell ignore it.
        "$python" -c 'import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])' \
            "$BOOKSHELF" mount -f "$mount" >"$TMPDIR/foreground" 2>&1 &
        pid=$!
        remember "$pid"
        answers() { ls "$mount/Fiction" && [ "$(supervisor)" = "$pid" ]; }
        within 20 answers || fail "mount -f: it doesn't answer: $(cat "$TMPDIR/foreground")"
        if [ "$signal" = unmount ]; then unmount_shelf "$mount"; else kill -s "$signal" "$pid"; fi
        within 10 gone "$pid" || fail "mount -f: it goes on after $signal"
        status=0; wait "$pid" || status=$?
        same "exit status of mount -f after $signal" 0 "$status"
        ended "mount -f, $signal"
    done
}

as_root_and_as_user body "$@"
