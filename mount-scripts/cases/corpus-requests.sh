#!/usr/bin/env bash
# Every document of the corpus from a server, as a feed and as a catalog, and every EPUB from a folder: read, or refused with a reason, and
# nothing is asked of anybody whom the document doesn't name.
# beside others
# seconds: 300
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

corpus=${BOOKSHELF_TEST_CORPUS:-$repository/../shared/corpus}
[ -f "$corpus/opds/index.tsv" ] || skip "no corpus: set BOOKSHELF_TEST_CORPUS to a directory with opds, json and broken"
# A server that can't be reached is tried four times within seconds: so in groups side by side, each with a profile and a server of its own.
groups=12

# What goes to another machine goes to a server as its proxy, which refuses all of it and writes down what it was: through SERVER COMMAND...
through() {
    local proxy
    proxy=http://127.0.0.1:$(cat "$1/port")
    shift
    env http_proxy="$proxy" https_proxy="$proxy" ALL_PROXY="$proxy" "$@"
}

# Has the documents of a group asked for as sources of a kind: ask GROUP KIND.
ask() {
    local server=$TMPDIR/server-$1 number=0 file status=0
    for file in "$server"/files/*/*; do
        number=$((number + 1))
        shelf --quiet --profile "$2-$1" source add "doc-$number" --kind "$2" \
            "http://127.0.0.1:$(cat "$server/port")/files/$(url_encoded "${file#"$server/files/"}" | sed 's|%2F|/|')"
    done
    through "$server" timeout 200 "$BOOKSHELF" --json --profile "$2-$1" sync >"$server/sync.json" 2>"$server/error" || status=$?
    [ "$status" -le 1 ] || fail "sync of group $1 as $2 ended with $status: $(tail -n 3 "$server/error")"
}

number=0
for file in "$corpus"/{opds,json,broken}/*; do
    directory=$TMPDIR/server-$((number % groups))/files/$(basename "$(dirname "$file")")
    mkdir -p "$directory"
    cp "$file" "$directory/"
    number=$((number + 1))
done
# The last one names nothing: what is asked behind it are sizes, of the books of all others.
for ((group = 0; group < groups; group++)); do
    mkdir "$TMPDIR/server-$group/files/zz"
    echo '<feed xmlns="http://www.w3.org/2005/Atom"/>' >"$TMPDIR/server-$group/files/zz/last.xml"
done
for ((group = 0; group < groups; group++)); do start_fault_server "$TMPDIR/server-$group"; done

for kind in opds store; do
    echo "== as $kind"
    pids=()
    for ((group = 0; group < groups; group++)); do
        : >"$TMPDIR/server-$group/log"
        ask $group $kind &
        pids+=($!)
        remember $!
    done
    for pid in "${pids[@]}"; do wait "$pid" || fail "documents as $kind"; done
    for ((group = 0; group < groups; group++)); do
        "$python" - "$TMPDIR/server-$group" <<'END'
import glob, html, json, sys, urllib.parse
server = sys.argv[1]
files = sorted(glob.glob(f"{server}/files/*/*"))
results = json.load(open(f"{server}/sync.json"))["sources"]
assert len(results) == len(files), f"{len(results)} results of {len(files)} documents"
# Sources are asked in the order in which they were added, each for its document first: so the requests behind it are its own.
requests = [line.split()[:2] for line in open(f"{server}/log")]
paths = [urllib.parse.unquote(target) for _, target in requests]
starts = ["/files/" + file.removeprefix(server + "/files/") for file in files] + [None]
faults, read, asked, elsewhere, position = [], 0, 0, 0, 0
for index, (file, result) in enumerate(zip(files, results)):
    name, start = file.removeprefix(f"{server}/files/"), starts[index]
    if position >= len(paths) or paths[position] != start:
        sys.exit(f"{name} wasn't asked for where it should have been: {requests[position:position + 1]}")
    following = next((i for i in range(position + 1, len(paths)) if paths[i] == starts[index + 1]), len(paths))
    mine, position = requests[position + 1:following], following
    text = "".join(open(named, "rb").read().decode(errors="replace") for named in ([file] if starts[index + 1] else files))
    text += html.unescape(text) + text.replace("\\/", "/")
    text += urllib.parse.unquote(text)
    if result["error"] is None:
        read += 1
    elif len(result["error"]) < 10:
        faults.append(f"{name}: refused without a reason: {result['error']}")
    for method, target in mine:
        asked += 1
        if not target.startswith("/"):
            elsewhere += 1
            host = target.partition(":")[0] if method == "CONNECT" else urllib.parse.urlsplit(target).hostname
            if host not in text:
                faults.append(f"{name}: {host} was asked, which it doesn't name")
        elif urllib.parse.unquote(target) != start:
            # A relative link has at least its last part in the document.
            last = urllib.parse.unquote(target.rstrip("/").rpartition("/")[2])
            if last not in text:
                faults.append(f"{name}: {target} was asked for, which it doesn't name")
print(f"{len(files)} documents, {read} read; {asked} further requests, {elsewhere} of other servers")
if faults:
    sys.exit("\n".join(faults))
END
    done
done

echo "== every EPUB and what isn't one, in a folder"
server=$TMPDIR/server-0
: >"$server/log"
mkdir "$TMPDIR/folder"
for file in "$corpus"/epub/*.epub "$corpus"/broken/*; do
    cp "$file" "$TMPDIR/folder/$(basename "$file" .epub).epub"
done
find "$TMPDIR/folder" -type f -exec touch -d '1 hour ago' {} +
shelf --quiet source add folder "$TMPDIR/folder"
through "$server" timeout 200 "$BOOKSHELF" --json sync >"$TMPDIR/sync.json" || fail "a folder of all EPUBs: $(cat "$TMPDIR/sync.json")"
# All but the one that is empty.
same "books" "$(find "$TMPDIR/folder" -type f -size +0 | wc -l)" "$(shelf --json list --all | jq .total)"
same "requests" "" "$(cat "$server/log")"
