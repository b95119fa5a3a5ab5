#!/usr/bin/env bash
# Three machines behind the nginx that docs/fleet.md describes: the store sends each part of a book once, and all of them get it right.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl
needs_fuse
root=$TMPDIR/root
mkdir -p "$root"
make_books "$root/catalog.json" 6 'map(.category = "Shelf" | .contentUrl |= sub("^books"; "content"))'
mv "$root/books" "$root/content"
# Of three slices.
"$python" -c 'import os, sys; open(sys.argv[1], "wb").write(b"PK\3\4" + os.urandom(9_000_000))' "$root/content/large.epub"
jq --arg sum "$(sha256sum <"$root/content/large.epub" | cut -d ' ' -f 1)" '. + [{id: "large", title: "Large", category: "Shelf",
    isPurchased: true, contentUrl: "content/large.epub", fileSizeInBytes: 9000004, sha256: $sum}]' "$root/catalog.json" >"$root/next.json"
mv "$root/next.json" "$root/catalog.json"
start_nginx "$root"

front=$TMPDIR/front front_port=$(free_port)
mkdir -p "$front"
{
    echo "daemon off; master_process off; pid $front/pid; error_log $front/error.log; events { worker_connections 256; } http {
        access_log off; client_body_temp_path $front/body; proxy_temp_path $front/proxy; fastcgi_temp_path $front/fastcgi;
        uwsgi_temp_path $front/uwsgi; scgi_temp_path $front/scgi; types { application/json json; }"
    # shellcheck disable=SC2016  # backquotes of Markdown
    sed -n '/^```nginx$/,/^```$/p' "$repository/docs/fleet.md" | sed "/^\`\`\`/d; s|/var/cache/nginx/books|$front/cache|
        s|listen 443 ssl|listen 127.0.0.1:$front_port|; s|https://store.example|http://127.0.0.1:$port|"
    echo "}"
} >"$front/nginx.conf"
grep -q proxy_pass "$front/nginx.conf" || fail "docs/fleet.md has no nginx any more"
nginx -p "$front" -e "$front/error.log" -c "$front/nginx.conf" &
remember $!
within 20 curl --silent --output /dev/null "http://127.0.0.1:$front_port/" || fail "nginx in front: $(cat "$front/error.log")"
: >"$access_log"

for machine in 1 2 3; do
    shelf --quiet --profile "$machine" source add store "http://127.0.0.1:$front_port/catalog.json"
    shelf --quiet --profile "$machine" sync
    mkdir "$TMPDIR/shelf-$machine"
    mounted_paths+=("$TMPDIR/shelf-$machine")
    shelf --quiet --profile "$machine" mount "$TMPDIR/shelf-$machine" --sync-interval 1d
done
for machine in 1 2 3; do
    cmp <(tail -c 1000 "$root/content/large.epub") <(tail -c 1000 "$TMPDIR/shelf-$machine/Shelf/Large.epub") || fail "an end"
    cp -r "$TMPDIR/shelf-$machine/Shelf" "$TMPDIR/copy-$machine"
    for file in "$root/content"/*.epub; do sha256sum <"$file"; done | sort >"$TMPDIR/wanted"
    for file in "$TMPDIR/copy-$machine"/*.epub; do sha256sum <"$file"; done | sort | diff "$TMPDIR/wanted" - || fail "machine $machine"
done
sort "$access_log" | uniq -c
same "catalogs from the store" 1 "$(requests '^GET 200 /catalog.json')"
same "books from the store, a part at a time" 6 "$(requests '^GET 20[06] /content/book-')"
same "parts of the large book from the store" 3 "$(requests '^GET 20[06] /content/large')"

echo "== an unchanged catalog, compressed by the proxy"
same "not modified" true "$(shelf --json --profile 1 sync | jq '.sources[0].notModified')"
for machine in 1 2 3; do shelf --quiet --profile "$machine" unmount "$TMPDIR/shelf-$machine"; done
