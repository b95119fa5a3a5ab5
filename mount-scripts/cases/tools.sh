#!/usr/bin/env bash
# What people do with files: the usual tools find what they expect.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs rsync tar getfattr

sums() {
    (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2)
}

body() {
    local mount=$TMPDIR/shelf out=$TMPDIR/out book same_book total
    rm -rf "$out"
    mkdir -p "$out"
    # A book in two categories stands in both.
    make_books "$TMPDIR/catalog.json" 30 '.[4].category = ["Fiction", "History"] | .[5].title = "A: strange? name*"'
    shelf --quiet import "$TMPDIR/catalog.json"
    mount_shelf "$mount"

    echo "== ls, find, stat, du, df"
    ls -lR "$mount" >"$TMPDIR/listing"
    [ "$(grep -c '^-r--r--r--' "$TMPDIR/listing")" = 31 ] || fail "ls -lR: $(ls -lR "$mount")"
    book="$mount/Fiction/Book 5.epub" same_book="$mount/History/Book 5.epub"
    same "one inode in two categories" "$(stat -c %i "$book")" "$(stat -c %i "$same_book")"
    same "links" 1 "$(stat -c %h "$book")"
    same "find -samefile" 2 "$(find "$mount" -samefile "$book" | wc -l)"
    same "find -inum" 2 "$(find "$mount" -inum "$(stat -c %i "$book")" | wc -l)"
    same "no directory of size 0" 0 "$(find "$mount" -type d -size 0 | wc -l)"
    same "no book without blocks" 0 "$(find "$mount" -type f -printf '%b\n' | grep -cx 0 || true)"
    total=$(jq '[.[].fileSizeInBytes] | add' "$TMPDIR/catalog.json")
    # The book in two categories counts once: one inode... but without links du can't know, so it counts twice.
    [ "$(du -s --apparent-size --block-size=1 "$mount" | cut -f 1)" -ge "$total" ] || fail "du is less than the books have"
    df "$mount" >/dev/null
    [ "$(df --block-size=1 --output=size "$mount" | tail -n 1)" -ge "$total" ] || fail "df: $(df --block-size=1 "$mount")"
    same "df has nothing free" 0 "$(df --output=avail "$mount" | tail -n 1 | tr -d ' ')"
    same "nothing was fetched by that" 0 "$(status_of .cache.files)"
    same "a name that FAT takes" 1 "$(find "$mount" -name 'A*strange*' | grep -vc '[:?*]')"
    contains "$(getfattr --absolute-names -d "$book")" 'user.mime_type="application/epub+zip"' || fail "$(getfattr -d "$book")"
    same "state before" placeholder "$(getfattr --absolute-names --only-values -n user.bookshelf.state "$book")"

    echo "== reading parts of books that aren't on disk"
    local source=$TMPDIR/books/book-9.epub
    # The same book by title: Book 9.
    book=$(find "$mount" -name 'Book 9.epub')
    tail -c 100 "$book" | cmp - <(tail -c 100 "$source") || fail "tail -c"
    book=$(find "$mount" -name 'Book 10.epub') source=$TMPDIR/books/book-10.epub
    dd if="$book" of="$out/direct" iflag=direct bs=4096 status=none || fail "dd iflag=direct"
    cmp "$out/direct" "$source" || fail "dd iflag=direct"
    book=$(find "$mount" -name 'Book 11.epub') source=$TMPDIR/books/book-11.epub
    dd if="$book" bs=1000 skip=20 count=3 status=none | cmp - <(dd if="$source" bs=1000 skip=20 count=3 status=none) || fail "dd"
    book=$(find "$mount" -name 'Book 12.epub') source=$TMPDIR/books/book-12.epub
    "$python" - "$book" "$source" <<'END' || fail "mmap"
import mmap, os, sys
book, source = sys.argv[1:]
wanted = open(source, "rb").read()
with open(book, "rb") as file:
    private = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
    assert private[:] == wanted
    private[0:2] = b"xx"
    shared = mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)
    assert shared[:] == wanted
    # Nothing but data, and a hole where every file has one: at its end.
    assert os.lseek(file.fileno(), 0, os.SEEK_DATA) == 0
    assert os.lseek(file.fileno(), 7, os.SEEK_DATA) == 7
    assert os.lseek(file.fileno(), 0, os.SEEK_HOLE) == len(wanted)
    for beyond in (len(wanted), len(wanted) + 1):
        for whence in (os.SEEK_DATA, os.SEEK_HOLE):
            try:
                os.lseek(file.fileno(), beyond, whence)
                raise SystemExit(f"seeking at {beyond} should be ENXIO")
            except OSError as error:
                assert error.errno == 6, error
    assert os.pread(file.fileno(), 100, len(wanted)) == b""
    assert os.pread(file.fileno(), 100, len(wanted) - 10) == wanted[-10:]
END
    same "state after" local "$(getfattr --absolute-names --only-values -n user.bookshelf.state "$book")"

    echo "== cp -a, cp -r, tar, rsync"
    cp -a "$mount" "$out/cp-a" || fail "cp -a"
    sums "$mount" >"$TMPDIR/sums"
    same "books" 31 "$(wc -l <"$TMPDIR/sums")"
    sums "$out/cp-a" | cmp - "$TMPDIR/sums" || fail "cp -a"
    (cd "$mount" && find . -printf '%p %m %T@ %s\n' | grep -F .epub | sort) >"$TMPDIR/attributes"
    (cd "$out/cp-a" && find . -printf '%p %m %T@ %s\n' | grep -F .epub | sort) | cmp - "$TMPDIR/attributes" || fail "cp -a keeps dates and modes"
    cp -r "$mount" "$out/cp-r" || fail "cp -r"
    sums "$out/cp-r" | cmp - "$TMPDIR/sums" || fail "cp -r"
    rm -r "$out/cp-r" || fail "what cp -r made can't be removed"
    for options in "" -S; do
        mkdir "$out/tar"
        tar -C "$mount" -cf - $options . | tar -C "$out/tar" -xf - || fail "tar $options"
        sums "$out/tar" | cmp - "$TMPDIR/sums" || fail "tar $options"
        rm -r "$out/tar"
    done
    tar -C "$mount" -cf "$out/archive.tar" . || fail "tar"
    tar -C "$mount" -df "$out/archive.tar" || fail "tar --diff"
    rsync -a "$mount/" "$out/rsync" || fail "rsync"
    sums "$out/rsync" | cmp - "$TMPDIR/sums" || fail "rsync"
    same "a second rsync transfers nothing" "" "$(rsync -a --itemize-changes "$mount/" "$out/rsync")"
    same "nor after the driver started anew" "" "$(unmount_shelf "$mount" && mount_shelf "$mount" && rsync -a --itemize-changes "$mount/" "$out/rsync")"
    mounted_paths+=("$mount")
    same "rsync --checksum finds them equal" "" "$(rsync -a --checksum --itemize-changes "$mount/" "$out/rsync")"
    cmp "$mount/Fiction/Book 5.epub" "$mount/History/Book 5.epub" || fail "cmp"
    # The sums that the catalog has.
    diff <(cut -d ' ' -f 1 "$TMPDIR/sums" | sort -u) <(jq -r '.[].sha256' "$TMPDIR/catalog.json" | sort -u) || fail "sums"

    echo "== many at a time"
    find "$mount" -type f -print0 | xargs -0 -P 16 -n 1 sha256sum | cut -d ' ' -f 1 | sort -u |
        cmp - <(jq -r '.[].sha256' "$TMPDIR/catalog.json" | sort -u) || fail "16 readers"
    unmount_shelf "$mount"
    rm -rf "$out"
}

as_root_and_as_user body "$@"
