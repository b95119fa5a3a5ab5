#!/usr/bin/env bash
# Every way to log in, and out again: by password, in a browser, with a code; what goes wrong on the way; and no secret anywhere.
# beside others
# seconds: 180
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs curl jq openssl
[ -x "$python" ] || needs python3
server=$TMPDIR/server
mkdir -p "$server"
start_account_server "$server"
base=http://127.0.0.1:$account_port
echo '[]' >"$server/catalog.json"
secrets=$XDG_DATA_HOME/bookshelf/default/secrets

account_of() { shelf --json source list | jq -r --arg name "$1" '.sources[] | select(.name == $name) | "\(.state) \(.account)"'; }

# Logs in by a password on standard input.
by_password() { printf '%s\n' "${@:2}" | shelf login "$1"; }

echo "== nothing to log in to"
shelf --quiet source add files "$SAMPLES/initial_books.json"
refuses 1 "needs no login" shelf login files
refuses 1 "nowhere" shelf login nowhere
refuses 1 "nobody is logged in" shelf logout files
refuses 2 "--user is for sources on a network" shelf source add more "$SAMPLES" --user ann

touch "$server/no-store"
echo "== user name and password, as standard input has them"
shelf --quiet source add basic "$base/basic/catalog.json"
refuses 1 "bookshelf login basic" shelf sync basic
refuses 1 "standard input" shelf login basic
by_password basic ann wrong 2>"$TMPDIR/error" && fail "a wrong password was taken"
contains "$(cat "$TMPDIR/error")" "doesn't take that user name and password" || fail "$(cat "$TMPDIR/error")"
same "account" "login null" "$(account_of basic)"
by_password basic ann pass-0pen-sesame-w:ord >/dev/null
same "account" "never ann" "$(account_of basic)"
shelf --quiet sync basic
same "account" "ok ann" "$(account_of basic)"
no_secret_seen
shelf --quiet logout basic
! grep -q 0pen-sesame "$secrets" || fail "a secret stays after logout"
same "account" "login null" "$(account_of basic)"
shelf --quiet source remove basic
shelf --quiet source add basic "$base/basic/catalog.json" --user ann
by_password basic pass-0pen-sesame-w:ord >/dev/null
shelf --quiet sync basic
shelf --quiet source remove basic
! grep -q 0pen-sesame "$secrets" || fail "a secret stays when its source is removed"

echo "== a password that is typed stays unseen, and the terminal is as it was"
shelf --quiet source add basic "$base/basic/catalog.json" --user ann
"$python" - "$BOOKSHELF" >"$TMPDIR/typed" <<'END'
import os, select, subprocess, sys, termios, time

def typed(keys):
    """What a terminal shows of a login at which the keys are typed, how it ended, and whether the terminal shows what is typed then."""
    ours, theirs = os.openpty()
    login = subprocess.Popen([sys.argv[1], "login", "basic"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    shown, end, sent = b"", time.monotonic() + 30, False
    while login.poll() is None or select.select([ours], [], [], 0)[0]:
        if time.monotonic() > end:
            login.kill()
        if select.select([ours], [], [], 0.1)[0]:
            shown += os.read(ours, 4096)
        if not sent and b"Password of ann" in shown and not termios.tcgetattr(theirs)[3] & termios.ECHO:
            os.write(ours, keys)
            sent = True
    return shown, login.returncode, bool(termios.tcgetattr(theirs)[3] & termios.ECHO)

shown, status, is_echoing = typed(b"pass-0pen-sesame-x\x7fw:ord\r")
print("typed", status, is_echoing, b"0pen-sesame" in shown, b"logged in as ann" in shown)
shown, status, is_echoing = typed(b"pass-0pen-sesame\x03")
print("given up", status, is_echoing, b"0pen-sesame" in shown, b"given up" in shown)
END
same "what was typed" "typed 0 True False True" "$(sed -n 1p "$TMPDIR/typed")"
same "what was given up" "given up 1 True False True" "$(sed -n 2p "$TMPDIR/typed")"
shelf --quiet source remove basic

echo "== a password in a URL"
shelf source add basic "http://ann:pass-0pen-sesame-w%3Aord@127.0.0.1:$account_port/basic/catalog.json" >"$TMPDIR/out"
contains "$(cat "$TMPDIR/out")" "taken out of the URL" || fail "no notice"
shelf --quiet sync basic
no_secret_seen
shelf --quiet source remove basic

echo "== an OPDS server that takes the password for a token"
shelf --quiet source add feed "$base/opds/password/feed.xml"
refuses 1 '“Café”' shelf sync feed
by_password feed ann wrong 2>"$TMPDIR/error" && fail "a wrong password was taken"
contains "$(cat "$TMPDIR/error")" "invalid_grant" || fail "$(cat "$TMPDIR/error")"
by_password feed ann pass-0pen-sesame-w:ord >/dev/null
shelf --quiet sync feed
same "account" "ok ann" "$(account_of feed)"
touch "$server/revoked"
shelf --quiet sync feed
same "renewals" 1 "$(grep -c "^POST /oauth/token 200 refresh_token" "$server/log")"
shelf --quiet source remove feed

echo "== an OPDS server with a page"
shelf --quiet source add feed "$base/opds/implicit/feed.xml"
echo "opds://authorize/#token_type=bearer&expires_in=1" | shelf login feed 2>"$TMPDIR/error" && fail "no token was taken"
contains "$(cat "$TMPDIR/error")" "/oauth/page" || fail "$(cat "$TMPDIR/error")"
token=$(curl --silent "$base/oauth/token" --data "grant_type=password&username=ann&password=pass-0pen-sesame-w%3Aord" | jq -r .access_token)
echo "opds://authorize/?id=x#access_token=$token&token_type=bearer&expires_in=3600" | shelf login feed >/dev/null 2>&1
shelf --quiet sync feed
shelf --quiet source remove feed

rm "$server/no-store"
echo "== in a browser"
mkdir -p "$TMPDIR/bin"
cat >"$TMPDIR/bin/xdg-open" <<END
#!/bin/sh
# The person before it agrees to everything.
echo "\$1" >"$TMPDIR/opened"
exec curl --silent --location --output "$TMPDIR/page" "\$1"
END
chmod +x "$TMPDIR/bin/xdg-open"
in_browser() { DISPLAY=:99 PATH=$TMPDIR/bin:$PATH shelf login shop; }
shelf --quiet source add shop "$base/catalog.json"
in_browser >"$TMPDIR/out" 2>"$TMPDIR/error" || fail "$(cat "$TMPDIR/error")"
contains "$(cat "$TMPDIR/out")" "logged in as ann@lamp.example" || fail "$(cat "$TMPDIR/out")"
grep -qE '^http://127\.0\.0\.1:[0-9]+/$' "$TMPDIR/opened" || fail "the browser was told more than a place: $(cat "$TMPDIR/opened")"
grep -q "You can close this window" "$TMPDIR/page" || fail "the page doesn't say that it is over"
shelf --quiet sync shop
same "account" "ok ann@lamp.example" "$(account_of shop)"
no_secret_seen
device=$(cat "$XDG_DATA_HOME/bookshelf/default/device")
[[ $device =~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$ ]] || fail "device: $device"
machine=$(cat /etc/machine-id 2>/dev/null || true)
if [ -n "$machine" ]; then
    ! grep -rq "$machine" "$XDG_DATA_HOME" "$XDG_STATE_HOME" || fail "the machine's own identity is kept"
fi

echo "== permissions"
before=$(grep -c "^GET /v1/permissions" "$server/log")
contains "$(shelf sync shop --permissions)" "books:download" || fail "the permissions aren't shown"
same "questions for permissions" $((before + 1)) "$(grep -c "^GET /v1/permissions" "$server/log")"
shelf --json sync shop --permissions | jq -e '.sources[0].error == null' >/dev/null || fail "not JSON alone"

echo "== out again"
shelf --quiet logout shop
grep -q "^POST /oauth/revoke 200" "$server/log" || fail "the token wasn't taken back"
grep -q "^DELETE /v1/devices/$device 204" "$server/log" || fail "the device wasn't taken off"
! grep -q 0pen-sesame "$secrets" || fail "a secret stays after logout"
refuses 1 "bookshelf login shop" shelf sync shop
refuses 1 "nobody is logged in" shelf logout shop

echo "== what may go wrong"
touch "$server/declined"
in_browser >/dev/null 2>"$TMPDIR/error" && fail "logged in though the person declined"
contains "$(cat "$TMPDIR/error")" "declined" || fail "$(cat "$TMPDIR/error")"
shelf login shop >/dev/null 2>"$TMPDIR/error" && fail "logged in though the person declined"
contains "$(cat "$TMPDIR/error")" "declined" || fail "$(cat "$TMPDIR/error")"
rm "$server/declined"
touch "$server/approved" "$server/device-limit"
shelf login shop >/dev/null 2>"$TMPDIR/error" && fail "logged in with one device too many"
contains "$(cat "$TMPDIR/error")" "too many devices" || fail "$(cat "$TMPDIR/error")"
same "account" "login null" "$(account_of shop)"
rm "$server/device-limit"
shelf --json login shop 2>/dev/null | jq -e '.source == "shop" and .account == "ann@lamp.example"' >/dev/null || fail "login with --json"
same "the device is the same" "$device" "$(cat "$XDG_DATA_HOME/bookshelf/default/device")"

echo "== a stranger knocks while the browser is awaited"
printf '#!/bin/sh\n' >"$TMPDIR/bin/xdg-open"
DISPLAY=:99 PATH=$TMPDIR/bin:$PATH shelf login shop >"$TMPDIR/out" 2>"$TMPDIR/shown" &
login_pid=$!
remember "$login_pid"
within 20 grep -q 127.0.0.1 "$TMPDIR/shown" || fail "no page is shown"
place=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/' "$TMPDIR/shown" | head -n 1)
status_at() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
same "another answer" 400 "$(status_at "${place}callback?code=x&state=y")"
same "another name of this machine" 400 "$(status_at --header 'Host: evil.example' "$place")"
if can_change_user; then
    if setpriv --reuid=65534 --regid=65534 --clear-groups -- curl --silent --output /dev/null "$place"; then fail "another user was answered"; fi
fi
curl --silent --location --output /dev/null "$place"
wait "$login_pid" || fail "$(cat "$TMPDIR/shown")"
no_secret_seen
