#!/usr/bin/env bash
# Secrets in the keyring of a desktop session, by libsecret: kept there, found there by the driver, forgotten there; and a file without it.
# beside others
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
needs dbus-run-session gnome-keyring-daemon secret-tool
if [ "${1:-}" != inside ]; then
    exec dbus-run-session -- bash "$case_file" inside
fi
# Unlocked as a login to the desktop does it; it is made with that password where there is none.
echo "keyring" | gnome-keyring-daemon --unlock --components=secrets --foreground >"$TMPDIR/keyring.log" 2>&1 &
remember "$!"
keyring_answers() {
    echo -n x | secret-tool store --label=try try try 2>>"$TMPDIR/keyring.log" && secret-tool clear try try
}
within 10 keyring_answers || skip "the keyring of this machine can't be unlocked without a person: $(tail -n 1 "$TMPDIR/keyring.log")"

server=$TMPDIR/server mount=$TMPDIR/shelf size=20000
mkdir -p "$server"
start_account_server "$server"
base=http://127.0.0.1:$account_port
for number in {1..4}; do echo "Book-$number /books/$size/Book-$number $size"; done | fault_catalog "$server/catalog.json" "$base"
shelf --quiet source add shop "$base/catalog.json"
touch "$server/approved"
secrets=$XDG_DATA_HOME/bookshelf/default/secrets
in_keyring() { secret-tool lookup directory "$XDG_DATA_HOME/bookshelf/default" source shop 2>/dev/null || true; }

echo "== kept there"
contains "$(shelf login shop 2>/dev/null)" "in the keyring" || fail "the login doesn't say where it is kept"
! grep -q 0pen-sesame "$secrets" || fail "a secret is in the file"
contains "$(in_keyring)" "refresh-0pen-sesame" || fail "nothing is in the keyring"
shelf --quiet sync
same "account" "ok ann@lamp.example" "$(status_of '.sources[0] | "\(.state) \(.account)"')"

echo "== found there by the driver, and renewed there"
mount_shelf "$mount" --sync-interval 1d
cmp "$mount/Books/Book-1.epub" <(fault_book "/books/$size/Book-1")
before=$(in_keyring)
touch "$server/revoked"
cmp "$mount/Books/Book-2.epub" <(fault_book "/books/$size/Book-2")
[ "$before" != "$(in_keyring)" ] || fail "a renewed token isn't kept"
pid=$(worker)
! grep -qE "libsecret|libglib" "/proc/$pid/maps" || fail "the driver has loaded GLib"
! grep -q 0pen-sesame "$secrets" || fail "a secret is in the file"
no_secret_seen "$mount"

echo "== forgotten there"
shelf --quiet logout shop
same "what is left in the keyring" "" "$(in_keyring)"

echo "== a file where the keyring doesn't answer"
contains "$(DBUS_SESSION_BUS_ADDRESS=unix:path=$TMPDIR/nothing shelf login shop 2>/dev/null)" "$secrets" || fail "not kept in the file"
cmp "$mount/Books/Book-3.epub" <(fault_book "/books/$size/Book-3")
no_secret_seen "$mount"
unmount_shelf "$mount"
