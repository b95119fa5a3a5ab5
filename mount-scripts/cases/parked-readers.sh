#!/usr/bin/env bash
# Readers of a server that never answers: they end at their deadline, can be killed at once, and hold up nobody else.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
shelf_directory=$TMPDIR/shelf
start_fault_server "$TMPDIR/server"
{
    for number in $(seq 101); do echo "silent-$number /silent/200000/$number.epub 200000"; done
    echo "here /none/3000000/here.epub 3000000"
    for number in $(seq 2000); do echo "other-$number /none/1000/$number.epub 1000"; done
} | fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port"
shelf --quiet import "$TMPDIR/catalog.json"
export BOOKSHELF_READ_DEADLINE=8s
mount_shelf "$shelf_directory"
fault_book /none/3000000/here.epub >"$TMPDIR/right"
cmp "$TMPDIR/right" "$shelf_directory/Books/here.epub"

# Whether so many books are being fetched.
fetches() {
    [ "$(status_of .transfers.active)" = "$1" ]
}

# How long a command takes, in milliseconds, the best of five.
best_of() {
    "$python" - "$@" <<'END'
import subprocess, sys, time
best = None
for _ in range(5):
    start = time.monotonic()
    subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
    taken = time.monotonic() - start
    best = taken if best is None else min(best, taken)
print(max(1, round(best * 1000)))
END
}

# Starts a reader of each silent book; writes "NUMBER STATUS SECONDS ERRNO" for each to a file.
start_readers() {
    "$python" - "$shelf_directory/Books" "$TMPDIR/readers" <<'END' &
import errno, os, sys, threading, time
lock = threading.Lock()
out = open(sys.argv[2], "w")
def read(number):
    start = time.monotonic()
    name = "-"
    try:
        with open(f"{sys.argv[1]}/silent-{number}.epub", "rb", buffering=0) as file:
            file.read(100)
    except OSError as error:
        name = errno.errorcode[error.errno]
    with lock:
        print(number, f"{time.monotonic() - start:.1f}", name, file=out, flush=True)
threads = [threading.Thread(target=read, args=(number,)) for number in range(1, 101)]
for thread in threads: thread.start()
for thread in threads: thread.join()
END
    readers=$!
    remember "$readers"
}

echo "== a hundred readers"
alone_list=$(best_of ls -lR "$shelf_directory")
alone_cat=$(best_of cat "$shelf_directory/Books/here.epub")
start_readers
within 6 fetches 100 || fail "$(status_of .transfers.active) of 100 readers wait for their books"
with_list=$(best_of ls -lR "$shelf_directory")
with_cat=$(best_of cat "$shelf_directory/Books/here.epub")
[ ! -s "$TMPDIR/readers" ] || fail "readers have ended already: $(head -n 1 "$TMPDIR/readers")"
# Another book of the same server, while all its connections are taken, is a reader like the others; one of another server isn't.
echo "ls -lR: $alone_list ms alone, $with_list ms with them; cat of a local book: $alone_cat ms and $with_cat ms"
# The machine may be busy with other things; what must not happen is waiting for those readers, which takes seconds.
[ "$with_list" -le $((alone_list * 2 + 500)) ] || fail "ls -lR waits for parked readers"
[ "$with_cat" -le $((alone_cat * 2 + 500)) ] || fail "a local book waits for parked readers"
wait "$readers"
same "readers that ended" 100 "$(wc -l <"$TMPDIR/readers")"
same "readers that didn't end with ETIMEDOUT" 0 "$(grep -vc ' ETIMEDOUT$' "$TMPDIR/readers" || true)"
awk '{ if ($2 > max) max = $2 } END { print "the last ended after " max " s of a deadline of 8" }' "$TMPDIR/readers"
same "readers that ended before their deadline or long behind it" 0 \
    "$(awk '$2 < 7.5 || $2 > 14 { n++ } END { print n + 0 }' "$TMPDIR/readers")"

echo "== a reader that is killed"
# Of a book whose failure isn't remembered, so that it waits.
cat "$shelf_directory/Books/silent-101.epub" >"$TMPDIR/out" 2>&1 &
reader=$!
remember "$reader"
within 6 fetches 1 || fail "the reader doesn't wait: $(cat "$TMPDIR/out")"
kill -KILL "$reader"
within 2 gone "$reader" || fail "a reader that was killed is still there"

echo "== a signal every millisecond"
within 15 fetches 0 || fail "what nobody waits for is fetched on"
"$python" - "$shelf_directory/Books" "$TMPDIR/right" <<'END'
import os, signal, sys
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
content = b""
with open(sys.argv[1] + "/other-7.epub", "rb", buffering=0) as file:
    while piece := file.read(300):
        content += piece
assert len(content) == 1000, len(content)
with open(sys.argv[1] + "/here.epub", "rb", buffering=0) as file:
    content = b""
    while piece := file.read(1 << 16):
        content += piece
assert content == open(sys.argv[2], "rb").read()
signal.setitimer(signal.ITIMER_REAL, 0)
END
unmount_shelf "$shelf_directory"
