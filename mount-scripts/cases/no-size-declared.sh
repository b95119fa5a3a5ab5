#!/usr/bin/env bash
# A catalog that states no sizes: the sync learns them from the server, and what has none stays out of the tree.
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
count=620
mkdir -p "$root"
make_books "$root/catalog.json" 20 'map(del(.fileSizeInBytes, .sha256))'
# More of them than fit into one go: the same contents under further titles.
jq --argjson count "$count" '. as $some | [range($count) | . as $n | $some[$n % 20] + {id: "copy-\($n)", title: "Copy \($n)"}]' \
    "$root/catalog.json" >"$root/many.json"
# One is sent without a length, one isn't there, one knows GET only.
jq '. + [
    {id: "chunked", title: "Chunked", category: "Odd", isPurchased: true, contentUrl: "chunked/book-1.epub"},
    {id: "absent", title: "Absent", category: "Odd", isPurchased: true, contentUrl: "books/absent.epub"},
    {id: "noHead", title: "No HEAD", category: "Odd", isPurchased: true, contentUrl: "nohead/book-2.epub"}]' \
    "$root/many.json" >"$root/catalog.json"
# What passes through server-side includes has no length.
# shellcheck disable=SC2016  # nginx's own variables
start_nginx "$root" '
    location /chunked/ { alias '"$root"'/books/; ssi on; ssi_types *; }
    location /nohead/ { alias '"$root"'/books/; if ($request_method = HEAD) { return 405; } }'
shelf --quiet source add store "http://127.0.0.1:$port/catalog.json"
shelf --quiet sync || fail "sync"
same "HEAD for each book" "$count" "$(requests '^HEAD 200 /books/')"
same "no content was fetched" 0 "$(requests '^GET 200 /books/')"
mount_shelf "$mount" --sync-interval 1d
same "files" $((count + 1)) "$(find "$mount" -type f | wc -l)"
same "the one without HEAD" "$(stat -c %s "$root/books/book-2.epub")" "$(stat -c %s "$mount/Odd/No HEAD.epub")"
same "the others stay out of the tree" "No HEAD.epub" "$(ls "$mount/Odd")"
for number in 0 7 19 600; do
    of=$((number % 20 + 1))
    file=$(find "$mount" -name "Copy $number.epub")
    same "size of $file" "$(stat -c %s "$root/books/book-$of.epub")" "$(stat -c %s "$file")"
    cmp "$root/books/book-$of.epub" "$file" || fail "content of $file"
done
same "state in list --all" "Absent unsized, Chunked unsized" \
    "$(shelf --json list --all | jq -r '[.books[] | select(.state == "unsized") | "\(.title) \(.state)"] | sort | join(", ")')"
same "not in list" 0 "$(shelf --json list | jq '[.books[] | select(.state == "unsized")] | length')"

echo "== fetch always learns it"
id=$(shelf --json list --all | jq '.books[] | select(.title == "Absent") | .id')
refuses 1 "Absent" shelf --quiet fetch "id:$id"
cp "$root/books/book-3.epub" "$root/books/absent.epub"
shelf --quiet fetch "id:$id" || fail "fetch of a book whose size isn't known"
within 5 test -f "$mount/Odd/Absent.epub" || fail "a book whose size became known isn't in the tree"
cmp "$root/books/absent.epub" "$mount/Odd/Absent.epub"
id=$(shelf --json list --all | jq '.books[] | select(.title == "Chunked") | .id')
shelf --quiet fetch "id:$id" || fail "fetch of a book that is sent without a length"
within 5 test -f "$mount/Odd/Chunked.epub" || fail "a book whose size was counted isn't in the tree"
cmp "$root/books/book-1.epub" "$mount/Odd/Chunked.epub"
unmount_shelf "$mount"
