#!/usr/bin/env bash
# A shelf in a bucket of S3, by a server that checks each signature: synced, read in parts, and refused with the wrong key.
# beside others
# seconds: 180
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs curl jq
needs_fuse
needs_program moto
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root"
make_books "$root/catalog.json" 5 'map(.category = "Shelf")'
# One with a name that has to be escaped, one without a size, and one that is large enough to be fetched in parts.
mv "$root/books/book-1.epub" "$root/books/Grüße & (so on) +1.epub"
"$python" -c 'import os, sys; open(sys.argv[1], "wb").write(b"PK\3\4" + os.urandom(8_000_000))' "$root/books/large.epub"
jq 'map(if .id == "book-1" then .contentUrl = "books/Gr%C3%BC%C3%9Fe%20%26%20%28so%20on%29%20%2B1.epub" else . end
        | if .id == "book-2" then del(.fileSizeInBytes, .sha256) else . end
        | if .id == "book-3" then .contentUrl = "s3://shelf/" + .contentUrl else . end)
    + [{id: "large", title: "Large", category: "Shelf", isPurchased: true, contentUrl: "books/large.epub", fileSizeInBytes: 8000004}]' \
    "$root/catalog.json" >"$root/next.json"
mv "$root/next.json" "$root/catalog.json"

# Makes a user whose key is then ours, and a bucket with all of it; everything behind that must be signed by somebody who may.
port=$(free_port)
cat >"$TMPDIR/server.py" <<'END'
import json, os, sys
port, root, directory, secret = sys.argv[1:]
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="eu-central-1")
import boto3
from moto.core import set_initial_no_auth_action_count
from moto.iam import iam_backends
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=int(port), verbose=True)
server.start()
clients = {name: boto3.client(name, endpoint_url=f"http://127.0.0.1:{port}", region_name="eu-central-1") for name in ("s3", "iam")}
iam, s3 = clients["iam"], clients["s3"]
iam.create_user(UserName="reader")
iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": ["s3:GetObject", "s3:HeadObject", "s3:ListBucket"], "Resource": "*"}]}))
key = iam.create_access_key(UserName="reader")["AccessKey"]["AccessKeyId"]
# The case's own secret instead of the one that was made.
for backend in iam_backends.values():
    for partition in backend.values():
        for user in partition.users.values():
            for made in user.access_keys:
                made.secret_access_key = secret
s3.create_bucket(Bucket="shelf", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
for place, _, names in os.walk(root):
    for name in names:
        path = os.path.join(place, name)
        s3.upload_file(path, "shelf", os.path.relpath(path, root))
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"
from moto import settings
from moto.core.responses import ActionAuthenticatorMixin
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
with open(directory + "/key~", "w") as file:
    file.write(key)
os.rename(directory + "/key~", directory + "/key")
server._thread.join()
END
"$program_directory/python" "$TMPDIR/server.py" "$port" "$root" "$TMPDIR" "$secret_s3" >"$TMPDIR/server.log" 2>&1 &
remember $!
within 90 test -s "$TMPDIR/key" || fail "no server that speaks S3: $(tail "$TMPDIR/server.log")"
key=$(cat "$TMPDIR/key")
export BOOKSHELF_S3_ENDPOINT=http://127.0.0.1:$port BOOKSHELF_S3_REGION=eu-central-1

echo "== by nobody, and by somebody with the wrong key"
shelf --quiet source add bucket s3://shelf/catalog.json
refuses 1 "403" shelf sync
shelf --quiet source remove bucket
shelf --quiet source add bucket "s3://$key:$secret_marker-wrong@shelf/catalog.json"
refuses 1 "403" shelf sync
shelf --quiet source remove bucket

echo "== by its key"
shelf source add bucket "s3://$key:$(url_encoded "$secret_s3")@shelf/catalog.json"
same "place" "s3://shelf/catalog.json $key" "$(shelf --json source list | jq -r '.sources[0] | "\(.location) \(.account)"')"
shelf --json sync >"$TMPDIR/sync.json" || fail "$(cat "$TMPDIR/sync.json")"
same "sync" "6 0" "$(jq -r '.sources[0] | "\(.added) \(.skipped | length)"' "$TMPDIR/sync.json")"
same "a second sync" true "$(shelf --json sync | jq '.sources[0].notModified')"
mount_shelf "$mount" --sync-interval 1d
same "sizes" "$(find "$root/books" -type f -printf '%s\n' | sort)" "$(find "$mount" -type f -printf '%s\n' | sort)"
# Far behind what was read so far: a part of it is asked for.
cmp <(tail -c 1000 "$root/books/large.epub") <(tail -c 1000 "$mount/Shelf/Large.epub") || fail "the end of a large book"
mkdir "$TMPDIR/copies"
cp "$mount"/Shelf/*.epub "$TMPDIR/copies/" || fail "cp: $(status_of .errors)"
sums() { for file in "$1"/*.epub; do sha256sum <"$file"; done | sort; }
same "copies" "$(sums "$root/books")" "$(sums "$TMPDIR/copies")"
grep -q "GET /shelf/books/large.epub HTTP/1.1.*206 -" "$TMPDIR/server.log" || fail "no part was asked for: $(tail "$TMPDIR/server.log")"
unmount_shelf "$mount"

echo "== a bucket that isn't there, and a server that isn't"
shelf --quiet source remove bucket
shelf --quiet source add other "s3://$key:$(url_encoded "$secret_s3")@nowhere/catalog.json"
refuses 1 "404" shelf sync
BOOKSHELF_S3_ENDPOINT=http://127.0.0.1:1 refuses 1 "127.0.0.1:1" shelf sync
