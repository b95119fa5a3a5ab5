#!/usr/bin/env bash
# Sizes that were declared wrong: the first copy is right all the same, by every way in which programs copy.
# seconds: 200
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
shelf_directory=$TMPDIR/shelf
start_fault_server "$TMPDIR/server"

# TITLE, true size, declared size; from an end in the same page to far away.
cases=(
    "longer-by-far 5000000 1000"
    "longer 300000 200000"
    "longer-by-a-page 300000 295904"
    "longer-to-a-boundary 299009 200000"
    "longer-large 9000000 6000000"
    "shorter-by-far 5000 3000000"
    "shorter 200000 300000"
    "shorter-by-one 299999 300000"
    "shorter-small 7004 7009"
    "shorter-in-a-page 100 4000"
    "shorter-to-a-page 4096 4097"
    "shorter-by-pages 5000 130000"
    "shorter-large 6000000 9000000"
    "longer-same-page 200001 200000"
)
ways=(cp cat dd mmap sendfile tail)
for line in "${cases[@]}"; do
    read -r title size declared <<<"$line"
    for way in "${ways[@]}"; do
        echo "$title-$way /none/$size/$title-$way.epub $declared"
        fault_book "/none/$size/$title-$way.epub" >"$TMPDIR/$title-$way.right"
    done
done >"$TMPDIR/lines"
fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port" <"$TMPDIR/lines"
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$shelf_directory"

read_by() {
    local way=$1 from=$2 to=$3
    # As read-only as the book, if cp made it.
    rm -f "$to"
    case $way in
        cp) cp "$from" "$to" ;;
        cat) cat "$from" >"$to" ;;
        dd) dd if="$from" of="$to" bs=1M status=none ;;
        tail) tail -c +1 "$from" >"$to" ;;
        sendfile) "$python" - "$from" "$to" <<'END'
import os, sys
source, target = os.open(sys.argv[1], os.O_RDONLY), os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
while os.sendfile(target, source, None, 1 << 20):
    pass
END
            ;;
        # A program that maps a file goes by the size that it was told when it looked, so it reads a byte first, and looks then.
        mmap) "$python" - "$from" "$to" <<'END'
import mmap, os, sys
with open(sys.argv[1], "rb", buffering=0) as source:
    source.read(1)
    with mmap.mmap(source.fileno(), os.fstat(source.fileno()).st_size, prot=mmap.PROT_READ) as content:
        open(sys.argv[2], "wb").write(content)
END
            ;;
    esac
}

for line in "${cases[@]}"; do
    read -r title size declared <<<"$line"
    for way in "${ways[@]}"; do
        book=$shelf_directory/Books/$title-$way.epub
        same "declared size of $title" "$declared" "$(stat -c %s "$book")"
        if read_by "$way" "$book" "$TMPDIR/copy" 2>"$TMPDIR/error"; then
            cmp "$TMPDIR/$title-$way.right" "$TMPDIR/copy" || fail "$title by $way"
            first=right
        else
            first=$(tail -n 1 "$TMPDIR/error")
            # An end in the page that the reader waits for can't be moved under it; the next try is right.
            [ "$title" = longer-same-page ] || fail "$title by $way: $first"
            sleep 5.5
            read_by "$way" "$book" "$TMPDIR/copy"
            cmp "$TMPDIR/$title-$way.right" "$TMPDIR/copy" || fail "$title by $way, the second time"
        fi
        same "size of $title afterwards" "$size" "$(stat -c %s "$book")"
        [ "$way" != cp ] || echo "$title: $first"
    done
done

echo "== read by several at once, past the kernel's memory and through it"
for number in {1..12}; do
    echo "both-$number /delay-200/$((60000 + number * 500))/both-$number.epub 70000"
    echo "tiny-$number /delay-200/100/tiny-$number.epub 70000"
done | fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port"
shelf --quiet import "$TMPDIR/catalog.json"
for number in {1..12}; do
    fault_book "/delay-200/$((60000 + number * 500))/both-$number.epub" >"$TMPDIR/both-$number.right"
    fault_book "/delay-200/100/tiny-$number.epub" >"$TMPDIR/tiny-$number.right"
done
"$python" - "$shelf_directory/Books" "$TMPDIR" <<'END' || fail "by several at once"
import mmap, os, sys, threading
shelf, right = sys.argv[1:]
outcomes = {"right": 0, "error": 0}
wrong = []

def direct(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECT)
    with mmap.mmap(-1, 131072) as room:
        count = os.preadv(descriptor, [room], 0)
        return room[:count]

def scattered(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    os.pread(descriptor, 4096, 8192)
    return None

def whole(path):
    with open(path, "rb", buffering=0) as file:
        parts = []
        while part := file.read(1 << 20):
            parts.append(part)
        return b"".join(parts)

def reader(way, name):
    with open(f"{right}/{name}.right", "rb") as file:
        wanted = file.read()
    try:
        got = way(f"{shelf}/{name}.epub")
    except OSError:
        outcomes["error"] += 1
        return
    if got is None or got == wanted:
        outcomes["right"] += 1
    else:
        wrong.append(f"{way.__name__} of {name}: {len(got)} bytes of {len(wanted)}")

for kind in ("both", "tiny"):
    for number in range(1, 13):
        ways = [(direct, whole), (scattered, whole), (direct, scattered, whole, whole)][number % 3]
        threads = [threading.Thread(target=reader, args=(way, f"{kind}-{number}")) for way in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
print(outcomes)
if wrong:
    sys.exit("\n".join(wrong))
END
unmount_shelf "$shelf_directory"
