#!/usr/bin/env bash
# Files of the cache that were flipped, cut, grown, swapped or removed by hand, while mounted and while not: never delivered.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
shelf_directory=$TMPDIR/shelf
start_fault_server "$TMPDIR/server"
harms=(flipped cut grown removed emptied swapped record record-cut)
for when in mounted unmounted; do
    for harm in "${harms[@]}"; do echo "$when-$harm /none/300000/$when-$harm.epub 300000"; done
done >"$TMPDIR/lines"
fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port" <"$TMPDIR/lines"
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$shelf_directory"

right() {
    cmp <(fault_book "/none/300000/$1.epub") "$shelf_directory/Books/$1.epub" || fail "$1: $2"
}

# The file in the cache that has the bytes of a book.
cached() {
    local sum file
    sum=$(fault_book "/none/300000/$1.epub" | sha256sum)
    while read -r file; do
        if [ "$(sha256sum <"$file")" = "$sum" ]; then
            echo "$file"
            return
        fi
    done < <(find "$(status_of .paths.cache)/content" -name '*.book')
    fail "nothing in the cache has the bytes of $1"
}

harm() {
    local harm=$1 file=$2
    case $harm in
        flipped) printf 'X' | dd of="$file" bs=1 seek=150000 conv=notrunc status=none ;;
        cut) truncate -s 299999 "$file" ;;
        grown) printf 'X' >>"$file" ;;
        removed) rm "$file" ;;
        emptied) : >"$file" ;;
        swapped) head -c 300000 /dev/urandom >"$file.new" && mv "$file.new" "$file" ;;
        record) rm "${file%.book}.record" ;;
        record-cut) truncate -s 20 "${file%.book}.record" ;;
    esac
}

for line in mounted unmounted; do
    for harm in "${harms[@]}"; do right "$line-$harm" "at first"; done
done
drop_pages() {
    # What the kernel has kept is right; what is asked is whether the driver gives out what isn't.
    sync
    if [ "$(id -u)" = 0 ]; then echo 1 >/proc/sys/vm/drop_caches; fi
}
echo "== while mounted"
for harm in "${harms[@]}"; do
    harm "$harm" "$(cached "mounted-$harm")"
    drop_pages
    right "mounted-$harm" "while mounted"
done
files=()
for harm in "${harms[@]}"; do files+=("$(cached "unmounted-$harm")"); done
unmount_shelf "$shelf_directory"
echo "== while not"
for index in "${!harms[@]}"; do harm "${harms[$index]}" "${files[$index]}"; done
mount_shelf "$shelf_directory"
for harm in "${harms[@]}"; do right "unmounted-$harm" "after mounting again"; done
for harm in "${harms[@]}"; do right "mounted-$harm" "after mounting again"; done
same "errors" 0 "$(status_of '.errors | length')"
unmount_shelf "$shelf_directory"
