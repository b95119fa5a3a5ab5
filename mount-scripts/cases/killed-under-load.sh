#!/usr/bin/env bash
# Every process of the driver is killed, crashes and is replaced by another program, again and again, under full load: nobody notices.
#
# With CASES=full in the environment as often as the promise says, otherwise a few times.
# seconds: 2700
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs inotifywait

delay=200

# A shelf of 24 books on a server that answers at once, 50 that change their titles, and one a round on a server that is slow:
#     make_shelf ROUNDS [OPTION-OF-MOUNT...]
make_shelf() {
    local rounds=$1 number
    shift
    rm -rf "$TMPDIR/server" "$TMPDIR/books"
    start_fault_server "$TMPDIR/server"
    {
        for number in {1..24}; do echo "fast-$number /none/$((number * 60001))/$number.epub $((number * 60001))"; done
        for number in {1..50}; do echo "changing-$number /none/1000/changing-$number.epub 1000"; done
        for ((number = 0; number < rounds; number++)); do
            echo "slow-$number /delay-$delay/200000/$number.epub 200000"
        done
    } >"$TMPDIR/list"
    # With the hashes, which the server knows as well.
    "$python" - "$steps_directory/fault-server" "$TMPDIR/list" "$TMPDIR/hashed" "$TMPDIR/wanted" <<'END'
import hashlib, random, sys
_, _, listed, hashed, wanted = sys.argv
def book(path):
    seed = hashlib.sha256(f"{path} 1".encode()).digest()
    return b"PK\x03\x04" + random.Random(seed).randbytes(int(path.split("/")[2]) - 4)
with open(hashed, "w") as out, open(wanted, "w") as sums:
    for line in open(listed):
        title, path, size = line.split()
        digest = hashlib.sha256(book(path)).hexdigest()
        print(title, path, size, digest, file=out)
        if not title.startswith("changing-"):
            print(digest, ("Slow" if title.startswith("slow-") else "Books") + f"/{title}.epub", sep="  ", file=sums)
END
    fault_catalog "$TMPDIR/plain.json" "http://127.0.0.1:$fault_port" <"$TMPDIR/hashed"
    jq '[.[] | if (.id | startswith("slow-")) then .category = "Slow" elif (.id | startswith("changing-")) then .category = "Changing" else . end]' \
        "$TMPDIR/plain.json" >"$TMPDIR/catalog.json"
    shelf --quiet import "$TMPDIR/catalog.json"
    mount_shelf "$mount" "$@"
}

# Strikes: strike ROUNDS WHAT...
strike() {
    "$python" "$steps_directory/kill-under-load" "$BOOKSHELF" "$mount" "$TMPDIR/wanted" "$TMPDIR/catalog.json" "$delay" "$@" ||
        fail "$*"
}

# Whether every name of every round was announced to those who watch.
announced() {
    local rounds=$1 number round
    for ((round = 0; round < rounds; round++)); do
        for number in {1..50}; do
            echo "CREATE $mount/Changing/changing-$number $round.epub"
        done
    done | sort >"$TMPDIR/announcements"
    sort -u "$TMPDIR/events" | comm -23 "$TMPDIR/announcements" - >"$TMPDIR/missing"
    [ ! -s "$TMPDIR/missing" ]
}

# Strikes, and then looks whether all was announced and nothing bad is kept: rounds_of ROUNDS WHAT...
rounds_of() {
    local rounds=$1 watcher
    ls -R "$mount" >/dev/null
    watch_tree "$TMPDIR/events" "$mount" create
    strike "$@"
    within 15 announced "$rounds" || fail "$(wc -l <"$TMPDIR/missing") names weren't announced, for example $(head -n 1 "$TMPDIR/missing")"
    end_process "$watcher"
    same "damaged files in the cache" 0 "$(shelf --quiet --json verify | jq '.damaged | length')"
}

count() {
    if [ "${CASES:-}" = full ]; then echo "$1"; else echo "$2"; fi
}

body() {
    local rounds
    mount=$TMPDIR/shelf
    make_shelf 205
    echo "== the worker"
    rounds_of "$(count 200 "$([ "$1" = root ] && echo 12 || echo 4)")" worker
    echo "== the supervisor, the announcer and the worker in turn"
    rounds_of "$(count 80 "$([ "$1" = root ] && echo 8 || echo 4)")" supervisor announcer worker crash
    echo "== another program, under load, and one that ends at once"
    rounds_of "$(count 40 "$([ "$1" = root ] && echo 4 || echo 2)")" replace broken
    shelf status | grep -E '^The (worker|supervisor|announcer) of the mount ended' || fail "status says nothing of it: $(shelf status)"
    unmount_shelf "$mount"
    end_process "$fault_pid"
    [ "$1" = root ] || return 0
    echo "== with passthrough"
    BOOKSHELF_PASSTHROUGH=on make_shelf 205
    rounds_of "$(count 200 4)" worker supervisor
    unmount_shelf "$mount"
    end_process "$fault_pid"
}

as_root_and_as_user body "$@"
