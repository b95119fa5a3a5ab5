#!/usr/bin/env bash
# Without a network, with a source that refuses, has lost a book or stalls: what is on disk opens, the rest says why.
# seconds: 200
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root"
# Without hashes: then nothing but the server's word counts.
make_books "$root/catalog.json" 12 'map(.category = "Shelf")'
for place in lost denied stalled broken; do
    jq --arg place "$place" '. + [{id: $place, title: $place, category: "Shelf", isPurchased: true, contentUrl: ($place + "/x.epub"), fileSizeInBytes: 5000}]' \
        "$root/catalog.json" >"$root/next.json"
    mv "$root/next.json" "$root/catalog.json"
done
stall_port=$(free_port)
# Accepts, and never answers.
"$python" -c '
import socket, sys, time
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
kept = []
while True:
    kept.append(server.accept())' "$stall_port" &
remember $!
server="
    location /lost/ { return 404; }
    location /denied/ { return 403; }
    location /broken/ { return 500; }
    location /stalled/ { proxy_pass http://127.0.0.1:$stall_port; proxy_read_timeout 100s; }"
export BOOKSHELF_READ_DEADLINE=2s
mount_store "$root" "$mount" "$server"

# Reads a book and prints the error number's name, and how long it took in ms.
reading() {
    "$python" - "$1" <<'END'
import errno, sys, time
begin = time.monotonic()
answer = "ok"
try:
    with open(sys.argv[1], "rb") as file:
        while file.read(65536):
            pass
except OSError as error:
    answer = errno.errorcode[error.errno]
print(answer, int((time.monotonic() - begin) * 1000))
END
}

# Expects an answer to reading a book, within so many seconds.
expect_reading() {
    local name=$1 expected=$2 limit=$3 answer
    answer=$(reading "$mount/Shelf/$name.epub")
    echo "$name: $answer ms"
    same "reading $name" "$expected" "${answer% *}"
    [ "${answer#* }" -lt $((limit * 1000)) ] || fail "$name: it took ${answer#* } ms"
}

local_books() {
    local number
    for number in 1 2 3; do
        cmp "$mount/Shelf/Book $number.epub" "$root/books/book-$number.epub" || fail "Book $number, which is on disk"
    done
}

shelf --quiet fetch "$mount/Shelf/Book 1.epub" "$mount/Shelf/Book 2.epub" "$mount/Shelf/Book 3.epub"
echo "== a source that refuses, lost, stalls"
expect_reading lost ENODATA 3
expect_reading denied EACCES 3
expect_reading Book\ 4 ok 5
expect_reading stalled ETIMEDOUT 5
echo "the second try, within five seconds of the first failure:"
expect_reading stalled ETIMEDOUT 5
local_books

echo "== readers that wait for the stalled source slow nobody"
for number in {1..40}; do
    dd if="$mount/Shelf/stalled.epub" of=/dev/null status=none 2>/dev/null &
    remember $!
done
begin=$(date +%s%N)
ls -lR "$mount" >/dev/null
local_books
took=$((($(date +%s%N) - begin) / 1000000))
echo "ls and three books: $took ms"
[ "$took" -lt 2000 ] || fail "ls and local books took $took ms while others waited"
expect_reading Book\ 5 ok 5

echo "== errors in status"
for answer in "lost ENODATA" "denied EACCES"; do
    same "status of ${answer% *}" "$answer" "$(status_of "[.errors[] | select(.path == \"Shelf/${answer% *}.epub\")][-1] | \"${answer% *} \(.errno)\"")"
done
same "every error has a reason and an advice" 0 "$(status_of '[.errors[] | select((.reason | length) < 5 or (.advice | length) < 5)] | length')"

online() {
    same "offline $1" "false null" "$(status_of '"\(.offline) \(.offlineSince)"')"
    ! shelf status | grep "^offline" || fail "status says offline $1"
}

# Expects that status says offline, in both languages: is_offline HOW-MANY-CAN-BE-READ.
is_offline() {
    local since
    since=$(status_of .offlineSince)
    same "offline" true "$(status_of .offline)"
    [ $(($(date +%s) - $(date -d "$since" +%s))) -lt 60 ] || fail "offline since $since"
    same "in words" "offline since $(date -d "$since" +%H:%M); $1 of 16 books can be read, the rest when the network is back" \
        "$(shelf status | grep ^offline)"
    ! shelf status | grep -E "EHOSTUNREACH|can.t be reached|onnection refused" || fail "status is alarmed"
}

online "while the source refuses and stalls"

echo "== the source is down"
stop_nginx
expect_reading Book\ 6 EHOSTUNREACH 2
expect_reading Book\ 6 EHOSTUNREACH 2
local_books
is_offline 5
same "listing" 16 "$(find "$mount/Shelf" -type f | wc -l)"
refuses 1 "store" shelf sync
same "state of the source" failing "$(status_of '.sources[0].state')"
refuses 1 "Book 6" shelf --quiet fetch "$mount/Shelf/Book 6.epub"
unmount_shelf "$mount"
is_offline 5
mount_shelf "$mount" --sync-interval 1d
same "listing after mounting without a network" 16 "$(find "$mount/Shelf" -type f | wc -l)"
local_books
expect_reading Book\ 7 EHOSTUNREACH 2
is_offline 5

echo "== the source is back"
start_nginx "$root" "$server"
# A failure is remembered for five seconds.
readable() { cmp "$mount/Shelf/Book 7.epub" "$root/books/book-7.epub"; }
within 15 readable || fail "Book 7 can't be read though its source is back"
online "after a book has come, though no sync has"
shelf --quiet fetch "$mount/Shelf/Book 6.epub" || fail "fetch after the source came back"
shelf --quiet sync || fail "sync after the source came back"
same "state of the source" ok "$(status_of '.sources[0].state')"
online "after a sync"
unmount_shelf "$mount"

echo "== every second, if it is to be"
: >"$access_log"
mount_shelf "$mount" --sync-interval 1s
asked_again() { [ "$(requests '^GET [0-9]+ /catalog.json')" -ge 3 ]; }
within 20 asked_again || fail "with --sync-interval 1s the catalog was asked for $(requests '^GET [0-9]+ /catalog.json') times in 20 s"
unmount_shelf "$mount"
