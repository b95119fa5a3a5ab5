#!/usr/bin/env bash
# Tokens that run out: a hundred readers cause one renewal; one that fails is "log in", and a login mends it without a new mount.
# beside others
# seconds: 240
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs getfattr
server=$TMPDIR/server mount=$TMPDIR/shelf size=20000
mkdir -p "$server"
start_account_server "$server"
base=http://127.0.0.1:$account_port
for number in {1..260}; do echo "Book-$number /books/$size/Book-$number $size"; done | fault_catalog "$server/catalog.json" "$base"
echo "No /forbidden/$size/No $size" | fault_catalog "$TMPDIR/forbidden.json" "$base"
jq -s add "$server/catalog.json" "$TMPDIR/forbidden.json" >"$server/both.json"
mv "$server/both.json" "$server/catalog.json"
# All of them at once: a process for each would take longer than the rest.
mkdir "$TMPDIR/right"
"$python" - "$steps_directory/fault-server" "$TMPDIR/right" "$size" <<'END'
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_loader("fault_server", importlib.machinery.SourceFileLoader("fault_server", sys.argv[1]))
fault_server = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fault_server)
for number in range(1, 261):
    with open(f"{sys.argv[2]}/{number}", "wb") as file:
        file.write(fault_server.book(f"/books/{sys.argv[3]}/Book-{number}"))
END

refreshes() { grep -c "^POST /oauth/token [0-9]* refresh_token" "$server/log" || true; }
source_state() { status_of '.sources[0] | "\(.state) \(.account)"'; }

# Reads the books numbered from $1 to $2 all at once; fails unless each is right.
read_all() {
    local number pids=()
    rm -rf "$TMPDIR/copies"
    mkdir "$TMPDIR/copies"
    for number in $(seq "$1" "$2"); do
        cp "$mount/Books/Book-$number.epub" "$TMPDIR/copies/$number" 2>>"$TMPDIR/copies.errors" &
        pids+=("$!")
    done
    for number in "${pids[@]}"; do wait "$number" || fail "a copy failed: $(cat "$TMPDIR/copies.errors")"; done
    for number in $(seq "$1" "$2"); do
        cmp -s "$TMPDIR/copies/$number" "$TMPDIR/right/$number" || fail "Book-$number isn't right"
    done
}

echo "== before a login"
shelf --quiet source add shop "$base/catalog.json"
same "state before a sync" "never null" "$(source_state)"
refuses 1 "log in with: bookshelf login shop" shelf sync
same "state" "login null" "$(source_state)"
contains "$(shelf status)" "bookshelf login shop" || fail "status doesn't say what to do"

echo "== by the code of a device"
echo 60 >"$server/life"
shelf login shop >"$TMPDIR/login.out" 2>"$TMPDIR/login.err" &
login_pid=$!
within 20 grep -q WDJB-MJHT "$TMPDIR/login.err" || fail "no code: $(cat "$TMPDIR/login.err")"
no_secret_seen
touch "$server/approved"
wait "$login_pid" || fail "the login failed: $(cat "$TMPDIR/login.err")"
contains "$(cat "$TMPDIR/login.out")" "logged in as ann@lamp.example" || fail "$(cat "$TMPDIR/login.out")"
same "state" "never ann@lamp.example" "$(source_state)"
shelf --quiet sync
same "state" "ok ann@lamp.example" "$(source_state)"
same "the same in source list" "ok ann@lamp.example" "$(shelf --json source list | jq -r '.sources[0] | "\(.state) \(.account)"')"
mount_shelf "$mount" --sync-interval 1d
worker=$(worker)
same "renewals while the token held" 0 "$(refreshes)"

echo "== a hundred readers, and a token whose time is over"
# Half of so short a life is left over.
echo 2 >"$server/life"
touch "$server/revoked"
cp "$mount/Books/Book-201.epub" "$TMPDIR/first"
before=$(refreshes)
echo 3600 >"$server/life"
sleep 2.5
read_all 1 100
same "renewals" $((before + 1)) "$(refreshes)"
no_secret_seen "$mount"

echo "== a hundred readers, and a token that the store has taken back"
before=$(refreshes)
touch "$server/slow" "$server/revoked"
read_all 101 200
rm "$server/slow"
same "renewals" $((before + 1)) "$(refreshes)"

echo "== a store that can't renew it now"
touch "$server/busy" "$server/revoked"
if cp "$mount/Books/Book-202.epub" "$TMPDIR/copy" 2>"$TMPDIR/error"; then fail "copied without a token"; fi
contains "$(cat "$TMPDIR/error")" "Input/output error" || fail "$(cat "$TMPDIR/error")"
same "state" "ok ann@lamp.example" "$(source_state)"
rm "$server/busy"
sleep 6
read_all 203 204

echo "== a book that isn't allowed"
rm -f "$XDG_STATE_HOME/bookshelf/default/permissions/shop.json"
if cp "$mount/Books/No.epub" "$TMPDIR/copy" 2>"$TMPDIR/error"; then fail "copied what is forbidden"; fi
contains "$(cat "$TMPDIR/error")" "Permission denied" || fail "$(cat "$TMPDIR/error")"
within 10 grep -q books:download "$XDG_STATE_HOME/bookshelf/default/permissions/shop.json" || fail "the permissions weren't asked for anew"
same "state" "ok ann@lamp.example" "$(source_state)"

echo "== a renewal that fails"
touch "$server/refuse-refresh" "$server/revoked"
before=$(refreshes)
for number in {205..224}; do
    if cp "$mount/Books/Book-$number.epub" "$TMPDIR/copy" 2>"$TMPDIR/error"; then fail "copied without a token"; fi
    contains "$(cat "$TMPDIR/error")" "Permission denied" || fail "$(cat "$TMPDIR/error")"
done
same "renewals that were tried" $((before + 1)) "$(refreshes)"
same "state" "login null" "$(source_state)"
contains "$(shelf status)" "log in with: bookshelf login shop" || fail "status doesn't say what to do: $(shelf status)"
contains "$(status_of '.errors[].reason')" "bookshelf login shop" || fail "the errors don't say what to do"
refuses 1 "bookshelf login shop" shelf sync
cp "$mount/Books/Book-1.epub" "$TMPDIR/copy" || fail "what is on disk can't be read"
no_secret_seen "$mount"

echo "== a login mends it, without a new mount"
rm "$server/refuse-refresh"
shelf login shop 2>/dev/null
sleep 6
read_all 205 260
same "worker" "$worker" "$(worker)"
same "state" "login ann@lamp.example" "$(source_state | sed 's/^ok/login/')"
shelf --quiet sync
same "state" "ok ann@lamp.example" "$(source_state)"
no_secret_seen "$mount"
unmount_shelf "$mount"
