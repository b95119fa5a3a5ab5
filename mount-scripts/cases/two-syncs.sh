#!/usr/bin/env bash
# Syncs at the same moment exclude each other, whoever makes them, and one that fails is made less and less often, until somebody asks.
# beside others
# seconds: 240
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
mount=$TMPDIR/shelf server=$TMPDIR/server
start_fault_server "$server"
base=http://127.0.0.1:$fault_port/files
mkdir -p "$server/files/books"
make_books "$server/files/store.json" 5

asked() { grep -c "^GET /files/$1 " "$server/log" || true; }

# How many transfers of a file there were at the same time at most.
most_at_once() {
    awk -v file="$1" '$2 == file { now += ($1 == "begin" ? 1 : -1); if (now > most) most = now } END { print most + 0 }' "$server/transfers"
}

shelf --quiet source add store "$base/store.json"
shelf --quiet sync

echo "== three commands at once, of which each takes a second, and an import"
echo "store.json slow" >"$server/fault"
: >"$server/log"
: >"$server/transfers"
for number in 1 2 3; do
    "$BOOKSHELF" --json sync >"$TMPDIR/sync-$number.json" &
    syncs[number]=$!
    remember "${syncs[number]}"
done
"$BOOKSHELF" --json import "$server/files/store.json" >"$TMPDIR/import.json" &
importing=$!
remember "$importing"
for number in 1 2 3; do
    wait "${syncs[number]}" || fail "a sync beside others: $(cat "$TMPDIR/sync-$number.json")"
    same "a sync beside others" "0 0 5" "$(jq -r '.sources[0] | "\(.added) \(.removed) \(.unchanged)"' "$TMPDIR/sync-$number.json")"
done
wait "$importing" || fail "an import beside syncs: $(cat "$TMPDIR/import.json")"
same "the import" 5 "$(jq '.sources[0].added' "$TMPDIR/import.json")"
same "syncs" 3 "$(asked store.json)"
same "at a time" 1 "$(most_at_once store.json)"
shelf --quiet source remove import

echo "== a driver that syncs every second beside commands"
: >"$server/log"
: >"$server/transfers"
mount_shelf "$mount" --sync-interval 1s
within 20 grep -q "store.json" "$server/log" || fail "the driver doesn't sync"
for number in 1 2 3; do
    shelf --quiet sync || fail "a sync beside the driver's"
done
[ "$(asked store.json)" -gt 4 ] || fail "the driver has synced $(($(asked store.json) - 3)) times meanwhile"
same "at a time" 1 "$(most_at_once store.json)"
same "books" 5 "$(find "$mount" -type f | wc -l)"
unmount_shelf "$mount"
rm "$server/fault"

echo "== a source that fails, beside one that doesn't"
cp "$server/files/store.json" "$server/kept.json"
shelf --quiet source add other "$base/other.json"
refuses 1 "other" shelf sync other
: >"$server/log"
mount_shelf "$mount" --sync-interval 1s
begin=$SECONDS
enough() { [ "$(asked store.json)" -ge 16 ]; }
within 90 enough || fail "the driver has synced $(asked store.json) times"
failing=$(asked other.json) took=$((SECONDS - begin + 1))
echo "in $took seconds: $(asked store.json) times asked the one, $failing times the other"
# After 1, 2, 4, 8, 8 ... seconds, each up to half a second early.
[ "$failing" -le $((5 + took * 2 / 15)) ] || fail "a source that fails is asked as often as ever"
[ "$failing" -ge 2 ] || fail "a source that fails isn't asked any more"
same "state" "ok failing" "$(status_of '[.sources[].state] | join(" ")')"

echo "== asked for by a person, it is tried at once; when it is well again, it is asked as often as the others"
before=$(asked other.json)
refuses 1 "other" shelf sync
[ "$(asked other.json)" -gt "$before" ] || fail "a command left out the source that fails"
cp "$server/kept.json" "$server/files/other.json"
shelf --quiet sync
before=$(asked other.json)
well() { [ "$(asked other.json)" -ge $((before + 3)) ]; }
within 20 well || fail "a source that is well again was asked $(($(asked other.json) - before)) times"
unmount_shelf "$mount"

echo "== by SIGHUP too, and when a shelf is mounted"
rm "$server/files/other.json"
refuses 1 "other" shelf sync
: >"$server/log"
mount_shelf "$mount" --sync-interval 1d
tried() { [ "$(asked other.json)" -ge "$1" ]; }
within 20 tried 1 || fail "a source that fails isn't asked after mounting"
# It isn't due yet.
shelf --quiet sync --due || fail "what isn't due is an error"
same "requests" 1 "$(asked other.json)"
kill -HUP "$(status_of '.mounts[0].pid')"
within 20 tried 2 || fail "a source that fails isn't asked after SIGHUP"
unmount_shelf "$mount"
