#!/usr/bin/env bash
# Workers that crash again and again over one request, a worker that can't be killed, a kernel that can't send again, and a driver that
# is frozen for a while.
# seconds: 400
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

# The tests of the parts before: reads a book in the background and writes how that ended to a file: read_behind PATH FILE.
read_behind() {
    rm -f "$2"
    "$python" - "$1" "$2" <<'END' &
import errno, os, sys
try:
    open(sys.argv[1], "rb", buffering=0).read()
    word = "read"
except OSError as error:
    word = errno.errorcode[error.errno]
open(sys.argv[2] + "~", "w").write(word + "\n")
os.rename(sys.argv[2] + "~", sys.argv[2])
END
    reader=$!
    remember "$reader"
}

fetches() {
    [ "$(status_of .transfers.active)" = "$1" ]
}

# Ends the worker with a signal, and waits for the next.
strike() {
    local old
    old=$(worker)
    kill -s "$1" "$old"
    within 15 has_other_worker "$old" || fail "no worker after SIG$1"
}

# A process that waits where no signal reaches it.
has_stuck_thread() {
    local file
    for file in "/proc/$1/task"/*/stat; do
        if sed 's/.*) //' "$file" 2>/dev/null | grep -q '^D'; then return 0; fi
    done
    return 1
}

# Stops processes as the system does before it sleeps, by the freezer of a control group; where there's none, by a signal:
#     freeze PID...
freeze() {
    local process
    group=
    if [ -w "$groups/cgroup.procs" ] && mkdir "$groups/bookshelf-$$" 2>/dev/null; then group=$groups/bookshelf-$$; fi
    if [ -z "$group" ] || [ ! -e "$group/cgroup.freeze" ]; then
        echo "no control group can be made here: frozen by SIGSTOP"
        kill -STOP "$@"
        return
    fi
    former=$groups$(sed -n 's/^0:://p' "/proc/$1/cgroup")
    for process in "$@"; do echo "$process" >"$group/cgroup.procs"; done
    echo 1 >"$group/cgroup.freeze"
    # Which it isn't while a thread waits where no signal reaches it.
    within 10 grep -q "^frozen 1" "$group/cgroup.events" || fail "they can't be frozen: $(cat "$group/cgroup.events")"
}

# Lets them go on: thaw PID...
thaw() {
    local process
    if [ -z "$group" ]; then
        kill -CONT "$@"
        return
    fi
    echo 0 >"$group/cgroup.freeze"
    for process in "$@"; do echo "$process" >"$former/cgroup.procs"; done
    rmdir "$group"
}

stays_stuck() {
    has_stuck_thread "$1" && sleep 0.2 && has_stuck_thread "$1"
}

answers() {
    timeout 5 cmp "$TMPDIR/right" "$mount/Books/here.epub"
}

import_books() {
    {
        echo "here /none/300000/here.epub 300000"
        echo "silent /silent/200000/silent.epub 200000"
        echo "slow /slow/5000000/slow.epub 5000000"
    } | fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port"
    shelf --quiet import "$TMPDIR/catalog.json"
}

# Has another catalog take the place of the one that is mounted: the kernel is to forget what it knows of each number, and of the one that
# somebody reads the worker waits for a page. Sets old.
make_stuck() {
    rm -f "$data"/catalog.db*
    old=$(worker)
    import_books
    within 20 has_other_worker "$old" || fail "the worker serves the old catalog"
    old=$(worker)
    within 10 stays_stuck "$old" || fail "no thread waits in the kernel"
}

body() {
    local supervisor signal old other round status copier group former groups
    groups=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET || true)
    mount=$TMPDIR/shelf data=$XDG_DATA_HOME/bookshelf/default
    rm -rf "$TMPDIR/server" "$data"
    start_fault_server "$TMPDIR/server"
    fault_book /none/300000/here.epub >"$TMPDIR/right"
    import_books
    export BOOKSHELF_READ_DEADLINE=20s
    mount_shelf "$mount"
    supervisor=$(status_of '.mounts[0].pid')

    echo "== being killed is no crash: a reader waits on"
    read_behind "$mount/Books/silent.epub" "$TMPDIR/reader"
    within 10 fetches 1 || fail "nothing is fetched"
    for round in {1..5}; do strike KILL; done
    [ ! -e "$TMPDIR/reader" ] || fail "the reader got $(cat "$TMPDIR/reader")"

    echo "== three crashes in a row: what was sent again gets EIO once"
    for signal in SEGV ABRT ILL; do
        within 10 fetches 1 || fail "the reader waits no more: $(cat "$TMPDIR/reader")"
        strike "$signal"
    done
    within 10 test -e "$TMPDIR/reader" || fail "the reader waits still"
    same "the reader" EIO "$(cat "$TMPDIR/reader")"
    wait "$reader" || true
    answers || fail "another book, after it"
    # For a second nobody else is let try.
    sleep 1.2
    read_behind "$mount/Books/silent.epub" "$TMPDIR/reader"
    within 10 fetches 1 || fail "the next reader isn't served"
    [ ! -e "$TMPDIR/reader" ] || fail "the next reader got $(cat "$TMPDIR/reader")"
    same "the supervisor" "$supervisor" "$(status_of '.mounts[0].pid')"
    shelf status >"$TMPDIR/status"
    for signal in SIGSEGV SIGABRT SIGILL; do
        grep -E "^The worker .*$signal.* sent by process .*bookshelf\+0x[0-9a-f]+.*; readers waited for [0-9]+ ms" "$TMPDIR/status" ||
            fail "status says nothing of $signal: $(cat "$TMPDIR/status")"
        grep -q "$signal.*bookshelf+0x" "$(status_of .paths.log)" || fail "the log says nothing of $signal"
    done
    strike KILL

    echo "== frozen and thawed: a transfer goes on"
    within 10 fetches 1 || fail "nothing is fetched"
    rm -f "$TMPDIR/copy"
    cp "$mount/Books/slow.epub" "$TMPDIR/copy" &
    copier=$!
    remember "$copier"
    within 10 fetches 2 || fail "the slow book isn't fetched"
    sleep 1
    mapfile -t all < <(pgrep --parent "$supervisor")
    freeze "$supervisor" "${all[@]}"
    sleep 3
    # Nothing of ours waits where it couldn't be frozen.
    for old in "$supervisor" "${all[@]}"; do ! has_stuck_thread "$old" || fail "a thread waits in the kernel"; done
    thaw "$supervisor" "${all[@]}"
    answers || fail "it doesn't answer when it is thawed"
    status=0; wait "$copier" || status=$?
    same "cp over a freeze" 0 "$status"
    fault_book /slow/5000000/slow.epub | cmp - "$TMPDIR/copy" || fail "the copy over a freeze"

    echo "== a worker that can't be killed"
    make_stuck
    kill -KILL "$old"
    within 10 has_other_worker "$old" || fail "nobody takes its place"
    answers || fail "it doesn't answer beside a worker that can't be killed"
    ! has_stuck_thread "$old" || echo "the old one is stuck still"
    grep -q "can't end" "$(status_of .paths.log)" || fail "the log says nothing"
    kill -KILL "$reader"
    wait "$reader" 2>/dev/null || true
    timeout 20 "$BOOKSHELF" unmount "$mount" || fail "unmounting"
    ! is_mounted "$mount" || fail "it is mounted still"
    within 10 gone "$old" || fail "the stuck worker is left"

    echo "== the same, and everybody else is killed as well"
    mount_shelf "$mount"
    supervisor=$(status_of '.mounts[0].pid')
    read_behind "$mount/Books/silent.epub" "$TMPDIR/reader"
    within 10 fetches 1 || fail "nothing is fetched"
    make_stuck
    mapfile -t all < <(pgrep --parent "$supervisor")
    kill -KILL "$supervisor" "${all[@]}" "$reader"
    wait "$reader" 2>/dev/null || true
    has_stuck_thread "$old" || fail "it isn't stuck"
    timeout 40 "$BOOKSHELF" unmount "$mount" || fail "unmounting"
    ! is_mounted "$mount" || fail "it is mounted still"
    within 10 gone "$old" || fail "the stuck worker is left"

    echo "== one request crashes whoever works on it: it alone gets EIO, and once"
    cc -shared -fPIC -o "$TMPDIR/poisoned-book.so" "$steps_directory/poisoned-book.c" -ldl || fail "compiling"
    BOOKSHELF_TEST_POISON=$TMPDIR/poison LD_PRELOAD=$TMPDIR/poisoned-book.so mount_shelf "$mount"
    answers || fail "it doesn't answer"
    old=$(worker)
    # So that it opens the file again.
    kill -KILL "$old"
    within 15 has_other_worker "$old" || fail "no other worker"
    read_behind "$mount/Books/silent.epub" "$TMPDIR/reader"
    within 10 fetches 1 || fail "nothing is fetched"
    other=$reader
    echo "/$(shelf --json list "$mount/Books/here.epub" | jq '.books[0].id').book" >"$TMPDIR/poison"
    read_behind "$mount/Books/here.epub" "$TMPDIR/poisoned"
    within 20 test -e "$TMPDIR/poisoned" || fail "the reader of the book that crashes workers waits still"
    same "the reader of the book that crashes workers" EIO "$(cat "$TMPDIR/poisoned")"
    [ ! -e "$TMPDIR/reader" ] || fail "the reader of another book got $(cat "$TMPDIR/reader")"
    same "crashes" 3 "$(shelf status | grep -cE '^The worker .*SIG(ILL|TRAP)')"
    rm "$TMPDIR/poison"
    sleep 1.2
    answers || fail "the book, once it crashes nobody"
    kill -KILL "$other"
    wait "$other" 2>/dev/null || true
    unmount_shelf "$mount"

    echo "== a kernel that can't send again"
    BOOKSHELF_TRY_WITHOUT_RESEND=1 mount_shelf "$mount"
    answers || fail "it doesn't answer"
    supervisor=$(status_of '.mounts[0].pid')
    refuses 1 "this kernel" shelf --quiet mount "$mount" --replace
    for round in 1 2; do
        read_behind "$mount/Books/silent.epub" "$TMPDIR/reader"
        within 10 fetches 1 || fail "nothing is fetched"
        strike KILL
        within 10 test -e "$TMPDIR/reader" || fail "round $round: the reader hangs"
        echo "the reader got $(cat "$TMPDIR/reader")"
        grep -qE '^(ENOTCONN|ECONNABORTED)$' "$TMPDIR/reader" || fail "the reader got $(cat "$TMPDIR/reader")"
        within 10 answers || fail "round $round: it doesn't answer any more"
        same "mounts" 1 "$(grep -cF " $mount " /proc/self/mounts)"
    done
    [ "$1" = user ] || grep -F " $mount fuse.bookshelf ro," /proc/self/mounts || fail "root's mount is no longer read-only"
    shelf status | grep "mounted anew" || fail "status says nothing"
    # Its successor knows it as well.
    kill -KILL "$supervisor"
    is_another() { [[ $(status_of '.mounts[0].pid') =~ ^[0-9]+$ && $(status_of '.mounts[0].pid') != "$supervisor" ]]; }
    within 15 is_another || fail "no other supervisor"
    within 10 answers || fail "it doesn't answer"
    unmount_shelf "$mount"
    end_process "$fault_pid"
}

as_root_and_as_user body "$@"
