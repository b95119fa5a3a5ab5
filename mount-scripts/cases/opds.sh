#!/usr/bin/env bash
# OPDS catalogs behind a real web server: walked to the end, each book once, all or nothing, with a login; sizes that lie; real feeds.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl jq openssl
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root/opds"
make_books "$root/catalog.json" 60
# Pages of twenty books. A third of the lengths is right, a third missing, a third wrong.
"$python" - "$root" <<'END'
import json, os, sys
root = sys.argv[1]
books = json.load(open(f"{root}/catalog.json"))
ATOM = "application/atom+xml;profile=opds-catalog"

def feed(name, body):
    with open(f"{root}/opds/{name}", "w") as file:
        file.write('<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id><title>x</title>' + body + "</feed>")

def entry(number, book):
    size = os.path.getsize(f"{root}/{book['contentUrl']}")
    length = ["", f' length="{size}"', f' length="{size + 5000 * (number % 2 * 2 - 1)}"'][number % 3]
    return (f'<entry><id>{book["id"]}</id><title>{book["title"]}</title><updated>2024-05-31T08:30:00Z</updated>'
            f'<category term="Shelf"/><link rel="http://opds-spec.org/acquisition" type="application/epub+zip"'
            f' href="../{book["contentUrl"]}"{length}/></entry>')

feed("home.xml", f'<entry><id>n</id><title>New</title><link rel="subsection" href="new-1.xml" type="{ATOM}"/></entry>'
                 f'<entry><id>l</id><title>Loop</title><link rel="subsection" href="loop.xml" type="{ATOM}"/></entry>')
feed("loop.xml", f'<link rel="next" href="loop.xml" type="{ATOM}"/><entry><id>h</id><title>Home</title><link href="home.xml" type="{ATOM}"/></entry>')
for page in range(3):
    # What stands on two pages is one book.
    some = books[max(0, page * 20 - 2):page * 20 + 20]
    more = f'<link rel="next" href="new-{page + 2}.xml" type="{ATOM}"/>' if page < 2 else ""
    feed(f"new-{page + 1}.xml", more + "".join(entry(page * 20 + i, book) for i, book in enumerate(some)))
END
echo "ann:$(openssl passwd -apr1 "$secret_basic")" >"$root/../users"
printf '{"id": "x", "title": "Our library", "authentication": [{"type": "http://opds-spec.org/auth/basic"}]}' >"$root/login.json"
start_nginx "$root" "
    location /closed/ { alias $root/opds/; auth_basic closed; auth_basic_user_file $TMPDIR/users; }
    location /closed-books/ { alias $root/; auth_basic closed; auth_basic_user_file $TMPDIR/users; }
    location /document/ { error_page 401 /login; return 401; }
    location = /login { internal; default_type application/opds-authentication+json; alias $root/login.json; }"
base=http://127.0.0.1:$port

shows_book() { [ -n "$(find "$mount" -name '*.epub' -print -quit)" ]; }

echo "== walked to the end"
shelf source add shop "$base/opds/home.xml" | grep -q "kind opds" || fail "a feed isn't recognised"
shelf --json sync >"$TMPDIR/sync.json"
same "sync" "60 0 0 0" "$(jq -r '.sources[0] | "\(.added) \(.removed) \(.skipped | length) \(if .error then 1 else 0 end)"' "$TMPDIR/sync.json")"
same "each page once" "GET 200 /opds/home.xml GET 200 /opds/loop.xml GET 200 /opds/new-1.xml GET 200 /opds/new-2.xml GET 200 /opds/new-3.xml" \
    "$(grep opds "$access_log" | sort | xargs)"
same "questions for the sizes that are missing" 0 "$(shelf --json list --all | jq '[.books[] | select(.state == "unsized")] | length')"
anchor=$(status_of .catalog.anchor)
shelf --json sync >"$TMPDIR/sync.json"
same "a second sync" "0 0 60" "$(jq -r '.sources[0] | "\(.added) \(.updated) \(.unchanged)"' "$TMPDIR/sync.json")"
same "anchor" "$anchor" "$(status_of .catalog.anchor)"

echo "== browsed and read"
mount_shelf "$mount" --sync-interval 1d
same "files" 60 "$(find "$mount/Shelf" -name '*.epub' | wc -l)"
same "requests for content by browsing" 0 "$(requests '^GET .* /books/')"
mkdir "$TMPDIR/copies"
cp "$mount/Shelf"/*.epub "$TMPDIR/copies/"
sum() { (cd "$1" && for file in *.epub; do sha256sum <"$file"; done | sort); }
same "copies" "$(sum "$root/books")" "$(sum "$TMPDIR/copies")"
same "sizes now" "$(find "$root/books" -name '*.epub' -printf '%s\n' | sort)" "$(find "$mount" -type f -printf '%s\n' | sort)"

echo "== all or nothing"
# Reading has corrected sizes.
anchor=$(status_of .catalog.anchor)
cp "$root/opds/new-3.xml" "$TMPDIR/new-3.xml"
for fault in cut missing page; do
    case $fault in
        cut) head -c 2000 "$TMPDIR/new-3.xml" >"$root/opds/new-3.xml" ;;
        missing) rm "$root/opds/new-3.xml" ;;
        page) echo '<html><body>Please log in</body></html>' >"$root/opds/new-3.xml" ;;
    esac
    refuses 1 "shop" shelf sync
    same "books after $fault" 60 "$(shelf --json list | jq .total)"
    same "anchor after $fault" "$anchor" "$(status_of .catalog.anchor)"
done
sed 's|<entry>.*||' "$TMPDIR/new-3.xml" >"$root/opds/new-3.xml"
echo '</feed>' >>"$root/opds/new-3.xml"
shelf --json sync | jq -e '.sources[0].removed == 20' >/dev/null || fail "books that are no longer listed stay"
shelf --quiet source remove shop

echo "== logins"
shelf --quiet source add closed "$base/closed/home.xml" --kind opds
refuses 1 "login" shelf sync closed
shelf --quiet source remove closed
shelf --quiet source add closed "http://ann:$(url_encoded "$secret_basic")@127.0.0.1:$port/closed/home.xml" --kind opds
shelf --quiet sync closed
put_by_what_is_seen "$mount"
same "books behind a login" 40 "$(shelf --json list | jq .total)"
shelf --quiet source remove closed
shelf --quiet source add document "$base/document/x" --kind opds
refuses 1 "by user name and password" shelf sync document
shelf --quiet source remove document
refuses 2 "epub and kepub" shelf source add bad "$base/opds/home.xml" --prefer pdf
stop_nginx
# A driver asks its sources by itself seconds after it has begun, and here each page must be asked for once.
unmount_shelf "$mount"

corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}/opds
if [ -f "$corpus/index.tsv" ]; then
    echo "== the feeds of a real calibre-server, as they were recorded"
    unset port
    "$python" - "$corpus" "$TMPDIR" <<'END'
import csv, html, re, sys
corpus, target = sys.argv[1:]
files = {row["source"].split("GET ")[1].strip(): row["file"]
         for row in csv.DictReader(open(f"{corpus}/index.tsv", encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE)
         if row["file"].startswith("calibre613")}
# Pages that were recorded as the last ones of a feed aren't those that its next ones lead to.
ids, seen, ways = set(), set(), ["/opds"]
for address in ways:
    if address in seen or address not in files:
        continue
    seen.add(address)
    text = open(f"{corpus}/{files[address]}", encoding="utf-8").read()
    for link in re.findall("<link[^>]*>", text):
        if "atom+xml" in link and not re.search('rel="(first|last|previous|start|up|search)"', link):
            ways.append(html.unescape(re.search('href="(.*?)"', link)[1]))
    for entry in re.findall("<entry>.*?</entry>", text, re.S):
        if "application/epub+zip" in entry:
            ids.add(re.search("<id>(.*?)</id>", entry)[1])
open(f"{target}/rules", "w").write("\n".join(
    f'if ($request_uri = "{address}") {{ rewrite ^ /feeds/{file}? last; }}' for address, file in files.items()))
open(f"{target}/ids", "w").write("\n".join(sorted(ids)))
END
    mkdir "$TMPDIR/real"
    cp -r "$corpus" "$TMPDIR/real/feeds"
    cp "$(find "$root/books" -name '*.epub' -print -quit)" "$TMPDIR/real/book.epub"
    echo '<feed xmlns="http://www.w3.org/2005/Atom"/>' >"$TMPDIR/real/empty.xml"
    start_nginx "$TMPDIR/real" "
        $(cat "$TMPDIR/rules")
        location /get/epub/ { rewrite ^ /book.epub break; }
        location /opds { rewrite ^ /empty.xml break; }"
    shelf --quiet source add real "http://127.0.0.1:$port/opds"
    shelf --json sync real >"$TMPDIR/sync.json" || fail "the feeds of calibre-server: $(cat "$TMPDIR/sync.json")"
    same "books of calibre-server" "$(wc -w <"$TMPDIR/ids")" "$(jq '.sources[0].added' "$TMPDIR/sync.json")"
    same "no page twice" "" "$(grep -E '/opds|/feeds' "$access_log" | grep -v empty | sort | uniq -d)"
    mount_shelf "$mount" --sync-interval 1d
    within 5 shows_book || fail "the feeds of calibre-server aren't shown"
    file=$(find "$mount" -name '*.epub' -print -quit)
    cmp "$file" "$TMPDIR/real/book.epub" || fail "a book of a real feed"
    unmount_shelf "$mount"
else
    echo "no corpus: the recorded feeds are left out"
fi
