#!/usr/bin/env bash
# Fifty programs read one cold book: one request, fifty equal copies. And the clock may say what it will.
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
shelf_directory=$TMPDIR/shelf
start_fault_server "$TMPDIR/server"
{
    for size in 200000 3000000 20000000; do echo "book-$size /slow/$size/book.epub $size"; done
    for number in $(seq 5); do echo "clock-$number /none/500000/$number.epub 500000"; done
} | fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port"
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$shelf_directory"

for size in 200000 3000000 20000000; do
    wanted=$(fault_book "/slow/$size/book.epub" | sha256sum)
    pids=()
    for number in $(seq 50); do
        # shellcheck disable=SC2002  # a program of its own is meant to read it
        cat "$shelf_directory/Books/book-$size.epub" 2>&1 | sha256sum >"$TMPDIR/sum-$number" &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid"; done
    same "equal copies of $size bytes" 50 "$(cat "$TMPDIR"/sum-* | grep -cF "$wanted" || true)"
    same "requests for $size bytes" 1 "$(grep -cF "/slow/$size/" "$TMPDIR/server/log" || true)"
done
unmount_shelf "$shelf_directory"

echo "== a clock that is years off"
if ! command -v faketime >/dev/null; then
    skip "needs faketime; mount-scripts/test --dependencies-only installs it"
fi
# The dates of files stay what they are when a clock is set.
export NO_FAKE_STAT=1
number=0
for shift in "-10y" "+10y" "-1d"; do
    number=$((number + 1))
    mounted_paths+=("$shelf_directory")
    faketime -f "$shift" "$BOOKSHELF" --quiet mount "$shelf_directory"
    cmp <(fault_book "/none/500000/$number.epub") "$shelf_directory/Books/clock-$number.epub" || fail "a book with a clock of $shift"
    cmp <(fault_book /none/500000/1.epub) "$shelf_directory/Books/clock-1.epub" || fail "a book from before with a clock of $shift"
    faketime -f "$shift" "$BOOKSHELF" --json sync >"$TMPDIR/sync.json" || fail "sync with a clock of $shift"
    unmount_shelf "$shelf_directory"
done
for number in 1 2 3; do
    same "requests for a book" 1 "$(grep -cF "/none/500000/$number.epub" "$TMPDIR/server/log" || true)"
done
