#!/usr/bin/env bash
# A sync of 500 pages of OPDS that is cut in the middle, in every way: the old shelf stays whole, and the next sync completes.
# beside others
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
mount=$TMPDIR/shelf server=$TMPDIR/server
mkdir -p "$server/files"
start_fault_server "$server"
base=http://127.0.0.1:$fault_port/files

# Writes 500 pages of four books each: pages GENERATION. In the second generation the first book of each page is gone, and another there.
pages() {
    "$python" - "$server/files" "$1" <<'END'
import sys
directory, generation = sys.argv[1], int(sys.argv[2])
KIND = "application/atom+xml;profile=opds-catalog;kind=acquisition"
for page in range(500):
    with open(f"{directory}/page-{page}.xml", "w") as file:
        file.write('<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>urn:all</id><title>All</title>')
        for number in range(page * 4 + generation - 1, page * 4 + generation + 3):
            name = f"{page}-{number}"
            file.write(f'<entry><id>urn:{name}</id><title>Book {name}</title><updated>2024-05-31T08:30:00Z</updated>'
                       f'<category term="Shelf {page // 100}"/><link rel="http://opds-spec.org/acquisition" href="{name}.epub"'
                       f' type="application/epub+zip" length="5000"/></entry>')
        if page < 499:
            file.write(f'<link rel="next" href="page-{page + 1}.xml" type="{KIND}"/>')
        file.write("</feed>")
END
}

tree() { (cd "$mount" && find . -type f -printf '%P %i %s\n' | sort | sha256sum); }
asked() { grep -c "^GET /files/page-" "$server/log" || true; }

pages 1
# What the sync compares the lengths with.
for name in 0-0 0-1 0-2 0-3 0-4; do head -c 5000 /dev/zero >"$server/files/$name.epub"; done
shelf --quiet source add pages "$base/page-0.xml" --kind opds
shelf --json sync >"$TMPDIR/sync.json" || fail "the first sync: $(cat "$TMPDIR/sync.json")"
same "books" 2000 "$(jq '.sources[0].added' "$TMPDIR/sync.json")"
same "pages" 500 "$(asked)"
mount_shelf "$mount" --sync-interval 1d
same "files" 2000 "$(find "$mount" -type f | wc -l)"
before=$(tree) anchor=$(status_of .catalog.anchor)

pages 2
for fault in reset closed error cut; do
    echo "== $fault"
    echo "page-250.xml $fault" >"$server/fault"
    : >"$server/log"
    refuses 1 "pages" shelf sync
    [ "$(asked)" -ge 251 ] || fail "the sync ended before its middle: after $(asked) pages"
    ! grep -q "page-251" "$server/log" || fail "the sync went on behind the page that it couldn't read"
    same "the shelf" "$before" "$(tree)"
    same "changes" "$anchor" "$(status_of .catalog.anchor)"
    same "state" failing "$(status_of '.sources[0].state')"
    [ -n "$(status_of '.sources[0].lastError')" ] || fail "status doesn't say why"
done

echo "== the next one"
rm "$server/fault"
shelf --json sync >"$TMPDIR/sync.json" || fail "the next sync: $(cat "$TMPDIR/sync.json")"
same "the next sync" "500 500 1500" "$(jq -r '.sources[0] | "\(.added) \(.removed) \(.unchanged)"' "$TMPDIR/sync.json")"
is_new() { [ "$(find "$mount" -type f | wc -l)" = 2000 ] && [ "$(tree)" != "$before" ] && [ ! -e "$mount/Shelf 0/Book 0-0.epub" ] && [ -e "$mount/Shelf 4/Book 499-2000.epub" ]; }
within 10 is_new || fail "the new shelf: $(find "$mount" -type f | wc -l) files"
same "state" "ok null" "$(status_of '.sources[0] | "\(.state) \(.lastError)"')"
unmount_shelf "$mount"
