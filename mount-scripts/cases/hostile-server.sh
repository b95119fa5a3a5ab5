#!/usr/bin/env bash
# Sources that break off, lie, change and refuse: a copy is right, or it fails with the number that belongs to the reason.
# seconds: 400
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
shelf_directory=$TMPDIR/shelf
start_fault_server "$TMPDIR/server"

small=200000 large=6291456
faults=(none resets-{0..9} resetsonce noetag short beyond wrong wronglength falsestart falsetotal noranges changes-etag
    changes-silently gzip gzipwrong portal status-401 status-403 status-404 status-410 status-429 status-500)
titles=()
for fault in "${faults[@]}"; do
    for size in $small $large; do
        for kind in hash bare; do
            title=$fault,$size,$kind path=/$fault/$size/$kind.epub
            fault_book "$path" >"$TMPDIR/book"
            mkdir -p "$TMPDIR/right"
            mv "$TMPDIR/book" "$TMPDIR/right/$title"
            digest=
            if [ "$kind" = hash ]; then digest=$(sha256sum <"$TMPDIR/right/$title" | cut -d ' ' -f 1); fi
            echo "$title $path $size $digest"
            titles+=("$title")
        done
    done
done >"$TMPDIR/lines"
mapfile -t titles < <(cut -d ' ' -f 1 "$TMPDIR/lines")
sed 's/ $//' "$TMPDIR/lines" | fault_catalog "$TMPDIR/catalog.json" "http://127.0.0.1:$fault_port"
shelf --quiet import "$TMPDIR/catalog.json"
mount_shelf "$shelf_directory"

# Copies a book in the background: its result is in out/TITLE.status, its words in out/TITLE.error.
copy() {
    local title=$1 status=0
    cp "$shelf_directory/Books/$title.epub" "$TMPDIR/out/$title" 2>"$TMPDIR/out/$title.error" || status=$?
    echo "$status" >"$TMPDIR/out/$title.status"
}

# Copies all books, some at a time: one that retries must not hold up the rest.
copy_all() {
    local title
    rm -rf "$TMPDIR/out"
    mkdir "$TMPDIR/out"
    for title in "${titles[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge 24 ]; do sleep 0.05; done
        copy "$title" &
    done
    for job in $(jobs -rp); do
        [ "$job" = "$fault_pid" ] || wait "$job" || true
    done
}

# What the driver says about a book.
reason() {
    shelf --json status | jq -r --arg path "Books/$1.epub" '[.errors[] | select(.path == $path) | .reason] | unique | join("; ")'
}

# The number by which the copy of a book may fail, or "right" where it must not.
expected() {
    local title=$1
    case $title in
        none,* | resetsonce,* | noetag,* | noranges,* | falsestart,* | falsetotal,* | gzip,*) echo right ;;
        resets-[1-9],$large,*) echo right ;;
        status-401,* | status-403,*) echo "Permission denied" ;;
        status-404,* | status-410,*) echo "No data available" ;;
        *) echo "Input/output error" ;;
    esac
}

echo "== while the source misbehaves"
copy_all
for title in "${titles[@]}"; do
    status=$(cat "$TMPDIR/out/$title.status") wanted=$(expected "$title")
    if [ "$status" = 0 ]; then
        if ! cmp -s "$TMPDIR/right/$title" "$TMPDIR/out/$title"; then
            case $title in
                # Nothing says that it is wrong, or which of the two it ought to be; but it is one of them, whole.
                wrong,*,bare) cmp -s <(fault_book "/${title//,//}.epub" 7) "$TMPDIR/out/$title" || fail "$title is mixed" ;;
                changes-*,bare) cmp -s <(fault_book "/${title//,//}.epub" 2) "$TMPDIR/out/$title" || fail "$title is mixed" ;;
                wronglength,*,bare) cmp -s <(head -c -10 "$TMPDIR/right/$title") "$TMPDIR/out/$title" || fail "$title is mixed" ;;
                gzipwrong,*,bare) cmp -s <(head -c -5 "$TMPDIR/right/$title") "$TMPDIR/out/$title" || fail "$title is mixed" ;;
                *) fail "$title: copied with status 0, and it isn't the book" ;;
            esac
        fi
    else
        [ "$wanted" != right ] || fail "$title: $(cat "$TMPDIR/out/$title.error") ($(reason "$title"))"
        grep -qF "$wanted" "$TMPDIR/out/$title.error" || fail "$title: expected '$wanted' in: $(cat "$TMPDIR/out/$title.error")"
    fi
done
grep -c 0 "$TMPDIR"/out/*.status | awk -F : '{ n += $2 } END { print n " copied right" }'
same "errors in status without a reason or advice" 0 "$(status_of '[.errors[] | select(.reason == "" or .advice == "")] | length')"

echo "== afterwards, when it is well again"
touch "$TMPDIR/server/healed"
# As long a failure is remembered, and then some.
sleep 6
copy_all
for title in "${titles[@]}"; do
    status=$(cat "$TMPDIR/out/$title.status")
    case $title in
        changes-*,hash)
            # It isn't the book of the catalog any more.
            [ "$status" != 0 ] || fail "$title: copied, though it isn't what the catalog promises"
            continue
            ;;
        changes-*,bare) right=$TMPDIR/second && fault_book "/${title//,//}.epub" 2 >"$right" ;;
        # Whole by all that the source said, so it is kept as that.
        wrong,*,bare) right=$TMPDIR/second && fault_book "/${title//,//}.epub" 7 >"$right" ;;
        wronglength,*,bare | gzipwrong,*,bare)
            # Its size was corrected, or not; now it is the book.
            [ "$status" = 0 ] || fail "$title: $(cat "$TMPDIR/out/$title.error")"
            continue
            ;;
        *) right=$TMPDIR/right/$title ;;
    esac
    [ "$status" = 0 ] || fail "$title afterwards: $(cat "$TMPDIR/out/$title.error") ($(reason "$title"))"
    cmp -s "$right" "$TMPDIR/out/$title" || fail "$title afterwards: it isn't the book"
done

echo "== TLS of a wrong name"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$TMPDIR/key.pem" -out "$TMPDIR/certificate.pem" -days 2 \
    -subj /CN=elsewhere.example -addext subjectAltName=DNS:elsewhere.example 2>/dev/null
start_fault_server "$TMPDIR/tls" "$TMPDIR/certificate.pem" "$TMPDIR/key.pem"
echo "tls /none/$small/tls.epub $small" | fault_catalog "$TMPDIR/tls.json" "https://127.0.0.1:$fault_port"
shelf --quiet import "$TMPDIR/tls.json"
within 10 test -e "$shelf_directory/Books/tls.epub" || fail "the book isn't there"
if cp "$shelf_directory/Books/tls.epub" "$TMPDIR/tls.epub" 2>"$TMPDIR/error"; then fail "a book of nobody knows whom was copied"; fi
grep -qF "Input/output error" "$TMPDIR/error" || fail "$(cat "$TMPDIR/error")"
unmount_shelf "$shelf_directory"
