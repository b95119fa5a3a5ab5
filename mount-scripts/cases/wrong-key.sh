#!/usr/bin/env bash
# Pinned keys: with the right one and one in reserve everything goes on, with another one nothing does, and the error says which key it was.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs openssl unshare
[ "$(id -u)" = 0 ] || skip "needs root, to have a certificate authority of its own trusted in a mount namespace"
if [ "${1:-}" != inside ]; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMPDIR/ca.key" -out "$TMPDIR/ca.pem" -days 2 -subj "/CN=Authority of a case" 2>/dev/null
    for name in first second; do
        openssl req -newkey rsa:2048 -nodes -keyout "$TMPDIR/$name.key" -out "$TMPDIR/$name.csr" -subj /CN=127.0.0.1 2>/dev/null
        openssl x509 -req -in "$TMPDIR/$name.csr" -CA "$TMPDIR/ca.pem" -CAkey "$TMPDIR/ca.key" -CAcreateserial -days 2 \
            -extfile <(echo subjectAltName=IP:127.0.0.1) -out "$TMPDIR/$name.pem" 2>/dev/null
    done
    bundle=/etc/ssl/certs/ca-certificates.crt
    [ -e "$bundle" ] || skip "needs ca-certificates"
    cat "$bundle" "$TMPDIR/ca.pem" >"$TMPDIR/bundle.pem"
    # shellcheck disable=SC2016  # expands there
    exec "$steps_directory/in-private-mounts" bash -c 'mount --bind "$TMPDIR/bundle.pem" "$1" && shift && exec "$@"' bash "$bundle" bash "$case_file" inside
fi

server=$TMPDIR/server mount=$TMPDIR/shelf size=20000
key_of() { openssl pkey -in "$TMPDIR/$1.key" -pubout -outform der 2>/dev/null | openssl dgst -sha256 -binary | base64; }
first=sha256//$(key_of first) second=sha256//$(key_of second) third=sha256//$(head -c 32 /dev/zero | base64)
port=$(free_port)

# The server with the key $1, on the port that it had before.
serve_with() {
    [ -z "${nginx_pid:-}" ] || stop_nginx
    cat >"$TMPDIR/tls.conf" <<END
daemon off; master_process off; pid $TMPDIR/nginx.pid; error_log $TMPDIR/nginx.log; events { }
http { access_log $TMPDIR/access.log; client_body_temp_path $TMPDIR/t1; proxy_temp_path $TMPDIR/t2; fastcgi_temp_path $TMPDIR/t3;
    uwsgi_temp_path $TMPDIR/t4; scgi_temp_path $TMPDIR/t5;
    server { listen 127.0.0.1:$port ssl http2; ssl_certificate $TMPDIR/$1.pem; ssl_certificate_key $TMPDIR/$1.key; root $server; } }
END
    nginx -p "$TMPDIR" -e "$TMPDIR/nginx.log" -c "$TMPDIR/tls.conf" &
    nginx_pid=$!
    remember "$nginx_pid"
    within 20 curl --silent --cacert "$TMPDIR/ca.pem" --output /dev/null "https://127.0.0.1:$port/" || fail "nginx: $(cat "$TMPDIR/nginx.log")"
}

needs nginx curl
mkdir -p "$server/books/$size"
for number in {1..4}; do
    fault_book "/books/$size/$number" >"$server/books/$size/$number"
    echo "Book-$number /books/$size/$number $size"
done | fault_catalog "$server/catalog.json" "https://127.0.0.1:$port"
serve_with first

echo "== what isn't a key"
for pin in sha256//short md5//abc "$first!" ""; do refuses 2 "--pin" shelf source add shop "https://127.0.0.1:$port/catalog.json" --pin "$pin"; done
refuses 2 "by https" shelf source add shop "http://127.0.0.1:$port/catalog.json" --pin "$first"

echo "== the right one, and one in reserve"
shelf --quiet source add shop "https://127.0.0.1:$port/catalog.json" --pin "$first" --pin "$second"
shelf --quiet sync
mount_shelf "$mount" --sync-interval 1d
cmp "$mount/Books/Book-1.epub" "$server/books/$size/1"
serve_with second
cmp "$mount/Books/Book-2.epub" "$server/books/$size/2"
shelf --quiet sync
grep -q "HTTP/2.0" "$TMPDIR/access.log" || fail "HTTP/2 isn't spoken"

echo "== another one"
shelf --quiet source add other "https://127.0.0.1:$port/catalog.json" --pin "$first" --pin "$third"
refuses 1 "has the key $second" shelf sync other
refuses 1 '“other” is pinned to' shelf sync other
contains "$(status_of '.sources[] | select(.name == "other") | "\(.state) \(.lastError)"')" "failing" || fail "its state"
openssl req -newkey rsa:2048 -nodes -keyout "$TMPDIR/evil.key" -out "$TMPDIR/evil.csr" -subj /CN=127.0.0.1 2>/dev/null
openssl x509 -req -in "$TMPDIR/evil.csr" -CA "$TMPDIR/ca.pem" -CAkey "$TMPDIR/ca.key" -CAcreateserial -days 2 \
    -extfile <(echo subjectAltName=IP:127.0.0.1) -out "$TMPDIR/evil.pem" 2>/dev/null
serve_with evil
: >"$TMPDIR/access.log"
if cp "$mount/Books/Book-3.epub" "$TMPDIR/copy" 2>"$TMPDIR/error"; then fail "a stranger's book was copied"; fi
grep -q "Input/output error" "$TMPDIR/error" || fail "$(cat "$TMPDIR/error")"
contains "$(status_of '.errors[].reason')" "has the key sha256//$(key_of evil)" || fail "the error doesn't name the key: $(status_of '.errors')"
contains "$(status_of '.errors[].reason')" '“shop” is pinned to' || fail "the error doesn't name the source"
same "requests that a stranger got" "" "$(cat "$TMPDIR/access.log")"
serve_with first
sleep 6
cmp "$mount/Books/Book-3.epub" "$server/books/$size/3"
unmount_shelf "$mount"
