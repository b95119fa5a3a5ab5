#!/usr/bin/env bash
# The disk of the cache is full: books are right all the same or fail with ENOSPC, nothing is left behind, and it mends itself.
# seconds: 200
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
can_change_user || skip "needs root, to mount a small file system"
root=$TMPDIR/root mount=$TMPDIR/shelf disk=$TMPDIR/disk
mkdir -p "$root/books" "$disk" "$XDG_CONFIG_HOME/bookshelf"
mount -t tmpfs -o size=8M tmpfs "$disk" 2>/dev/null || skip "needs the right to mount a tmpfs"
mounted_paths+=("$disk")
printf '[cache]\ndirectory = %s\n' "$disk/cache" >"$XDG_CONFIG_HOME/bookshelf/default.conf"
"$python" "$steps_directory/make-large-books" "$root/books" 6 2048 >"$TMPDIR/books.json"
# Too large for the disk and for memory.
"$python" "$steps_directory/make-large-books" "$root/books" 1 81920 100 >"$TMPDIR/huge.json"
jq -s 'add' "$TMPDIR/books.json" "$TMPDIR/huge.json" >"$root/catalog.json"
mount_store "$root" "$mount"

fill() {
    # As much as there is room for.
    head -c 9M /dev/zero 2>/dev/null >"$disk/filler" || true
}

staged() {
    find "$disk/cache/stage" -type f ! -name '*.given' | wc -l
}

reading() {
    "$python" - "$1" <<'END'
import errno, hashlib, sys
digest = hashlib.sha256()
try:
    with open(sys.argv[1], "rb") as file:
        while piece := file.read(1 << 16):
            digest.update(piece)
    print(digest.hexdigest())
except OSError as error:
    print(errno.errorcode[error.errno])
END
}

# Reads all books; each must have its bytes.
read_all() {
    local number
    for number in 1 2 3 4 5 6; do
        same "book $number, $1" "$(sha256sum <"$root/books/large-$number.epub" | cut -d ' ' -f 1)" \
            "$(reading "$mount/Large/Large $number.epub")"
    done
    same "staged, $1" 0 "$(staged)"
}

echo "== older books make room"
read_all "with little room"
[ "$(find "$disk/cache/content" -name '*.book' | wc -l)" -ge 1 ] || fail "nothing is kept"

echo "== no room at all"
fill
shelf --quiet evict all: || true
fill
read_all "without any room"
same "books on disk" 0 "$(find "$disk/cache/content" -name '*.book' | wc -l)"
same "too large a book" ENOSPC "$(reading "$mount/Large/Large 100.epub")"
same "status" ENOSPC "$(status_of '.errors[-1].errno')"
contains "$(status_of '.errors[-1].advice')" cache.max-size || fail "no advice"
refuses 1 "no room" "$BOOKSHELF" --quiet fetch "$mount/Large/Large 1.epub"
same "staged" 0 "$(staged)"

echo "== a driver starts all the same"
unmount_shelf "$mount"
mount_shelf "$mount" --sync-interval 1d
read_all "by another driver"

echo "== well again"
rm "$disk/filler"
shelf --quiet fetch "$mount/Large/Large 1.epub"
same "books on disk" 1 "$(find "$disk/cache/content" -name '*.book' | wc -l)"
read_all "with room again"
before=$(requests '^GET 200 /books/large-6')
cmp "$mount/Large/Large 6.epub" "$root/books/large-6.epub"
same "downloads of what is there" "$before" "$(requests '^GET 200 /books/large-6')"
unmount_shelf "$mount"
umount "$disk"
