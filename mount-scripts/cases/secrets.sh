#!/usr/bin/env bash
# No secret of a source is anywhere but in its file, also while a sync runs and after it was refused; and what looks for them finds them.
# beside others
# seconds: 90
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs nginx curl openssl getfattr
needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf

sweep() { "$steps_directory/sweep-secrets" "$@"; }

# Expects that a secret is found in a place.
finds() {
    local said
    if said=$(sweep "$1"); then fail "no secret is found in $1"; fi
    contains "$said" "$2" || fail "expected '$2' in: $said"
}

echo "== what looks for secrets finds them"
plant=$HOME/tmp/plant/data/bookshelf/default
mkdir -p "$plant" "$plant/$secret_basic"
finds "$plant" "its name"
rmdir "$plant/$secret_basic"
sweep "$plant" || fail "a secret where none is"
for before in "" x xx xxx; do
    printf 'Authorization: Basic %s\n' "$(printf '%s' "$before$secret_basic" | base64)" >"$plant/log"
    finds "$plant" "log: its bytes"
done
rm "$plant/log"
"$python" - "$plant/catalog.db" "$secret_digest" <<'END'
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE source (options)")
# Such that it stands on both sides of the end of a page.
for shift in range(4000, 4200):
    connection.execute("INSERT INTO source VALUES (?)", ("x" * shift + sys.argv[2],))
connection.commit()
END
finds "$plant" "table source"
rm "$plant/catalog.db"
echo "$secret_s3" >"$plant/secrets"
sweep "$plant" || fail "a secret in the file of secrets counts"
rm -r "$HOME/tmp/plant"

echo "== a source with a password"
mkdir -p "$root"
make_books "$root/catalog.json" 3
echo "ann:$(openssl passwd -apr1 "$secret_basic")" >"$TMPDIR/users"
echo "ann:$(openssl passwd -apr1 other)" >"$TMPDIR/others"
port=$(free_port)
start_nginx "$root" "
    location /open/ { alias $root/; }
    location /closed/ { alias $root/; auth_basic closed; auth_basic_user_file $TMPDIR/users; }
    location /changed/ { alias $root/; auth_basic closed; auth_basic_user_file $TMPDIR/others; }
    location /slow/ { alias $root/; limit_rate 200; auth_basic closed; auth_basic_user_file $TMPDIR/users; }
    location /moved/ { return 302 http://localhost:$port/closed/catalog.json; }
    location /broken/ { return 500; }"
for place in closed changed moved broken; do
    shelf source add $place "http://ann:$(url_encoded "$secret_basic")@127.0.0.1:$port/$place/catalog.json"
done
same "the file of secrets" "600" "$(stat -c %a "$XDG_DATA_HOME/bookshelf/default/secrets")"
export BOOKSHELF_LOG_LEVEL=debug
shelf sync closed
refuses 1 "401" shelf sync changed
refuses 1 "401" shelf sync moved
refuses 1 "500" shelf sync broken
refuses 1 "more" shelf --json sync
mount_shelf "$mount" --sync-interval 1s
find "$mount" -type f -exec cat {} + >/dev/null
# The driver has had a look at all of them, and put down how that went.
tried() { [ "$(requests '^GET 500 /broken/')" -ge 8 ]; }
within 60 tried || fail "the driver doesn't sync"
unmount_shelf "$mount"

echo "== while a sync runs"
shelf --quiet source add slow "http://ann:$(url_encoded "$secret_basic")@127.0.0.1:$port/slow/catalog.json"
"$BOOKSHELF" --quiet sync slow &
syncing=$!
remember "$syncing"
is_syncing() { [ "$(requests '^GET 401 /slow/')" -ge 1 ]; }
within 10 is_syncing || fail "no sync runs"
put_by_what_is_seen
ls "$HOME"/swept/*/process-"$syncing" >/dev/null || fail "the sync that runs wasn't looked at"
end_process "$syncing"
grep -qF "$secret_marker" "$XDG_DATA_HOME/bookshelf/default/secrets" || fail "the secrets aren't kept"
for place in closed changed moved broken slow; do shelf --quiet source remove $place; done
! grep -qF "$secret_marker" "$XDG_DATA_HOME/bookshelf/default/secrets" || fail "secrets of sources that are gone are kept"
