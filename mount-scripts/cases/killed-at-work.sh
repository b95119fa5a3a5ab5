#!/usr/bin/env bash
# Everything is killed in the middle of fetching, evicting, importing and of bringing a catalog of an older version up to date: at the next
# start all is consistent, pins are there, and nothing that wasn't verified is served.
#
# With CASES=full in the environment as often as the promise says, otherwise a few times.
# seconds: 2700
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

# Ends every process of this home that runs the program, at once, and again those that others have started meanwhile.
kill_all() {
    local pid pids empty=0
    for _ in {1..100}; do
        mapfile -t pids < <(grep --files-with-matches --null-data --fixed-strings --line-regexp "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null |
            cut -d / -f 3 | while read -r pid; do
            if [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" = "$program" ]; then echo "$pid"; fi
        done)
        if [ "${#pids[@]}" = 0 ]; then
            empty=$((empty + 1))
            [ "$empty" -lt 2 ] || return 0
        else
            empty=0
            kill -KILL "${pids[@]}" 2>/dev/null || true
        fi
        sleep 0.02
    done
    fail "processes that can't be killed: ${pids[*]}"
}

# Writes notes into the catalog, as no command does yet: they are the reader's own, and no sync, migration or death may cost one.
annotate() {
    "$python" - "$catalog" <<'END'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], timeout=30)
with database:
    database.executemany("INSERT OR REPLACE INTO annotation (book, kind, value, changed_at) VALUES (?, 'note', ?, 1700000000)",
                         [(book, f"note of {book}") for book in range(100, 105)])
END
}

# Looks at the catalog as a database: whole, and every pin and note is there.
check_catalog() {
    "$python" - "$catalog" "$1" <<'END'
import sqlite3, sys
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
found = [row[0] for row in database.execute("PRAGMA integrity_check")]
if found != ["ok"]: sys.exit(f"integrity_check: {found}")
if list(database.execute("PRAGMA foreign_key_check")): sys.exit("a row refers to nothing")
pins = database.execute("SELECT count(*) FROM personal WHERE is_pinned").fetchone()[0]
if pins != int(sys.argv[2]): sys.exit(f"{pins} pins instead of {sys.argv[2]}")
notes = database.execute("SELECT book, value FROM annotation ORDER BY book").fetchall()
if notes != [(book, f"note of {book}") for book in range(100, 105)]: sys.exit(f"the notes are {notes}")
END
}

# Makes the catalog one of the first version.
age_catalog() {
    "$python" - "$catalog" <<'END'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in ("BEGIN IMMEDIATE", "DROP TABLE pin_exception", "DROP TABLE pin_rule", "DROP INDEX directory_child",
                  "CREATE VIRTUAL TABLE book_text USING fts5(title, authors, description, content='')",
                  "PRAGMA user_version = 1", "COMMIT", "PRAGMA wal_checkpoint(TRUNCATE)"):
    database.execute(statement).fetchall()
END
}

# What the shelf holds: every book has the bytes of one of the two catalogs, and all are of the same.
check_tree() {
    (cd "$mount" && find . -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort) >"$TMPDIR/found"
    cmp -s "$TMPDIR/found" "$TMPDIR/wanted-1" || cmp -s "$TMPDIR/found" "$TMPDIR/wanted-2" ||
        fail "$1: the tree is of neither catalog"
}

# Begins what is to be cut off.
begin() {
    case $1 in
        commit) shelf --quiet fetch all: ;;
        evict) shelf --quiet evict all: ;;
        import) shelf --quiet import "$TMPDIR/catalog-$((round % 2 + 1)).json" ;;
        migration) shelf --quiet mount "$mount" ;;
    esac
}

body() {
    local round rounds work job pause
    program=$(realpath "$BOOKSHELF") mount=$TMPDIR/shelf
    make_books "$TMPDIR/catalog-1.json" 300
    # The other has new editions of some, is without others, and calls further ones otherwise.
    jq '[to_entries[] | if .key % 3 == 0 then .value.title += " again" else . end | .value] | .[0:280]
        | [to_entries[] | if .key < 40 then .value + {contentUrl: "books/book-\(.key + 201).epub"} else .value end]' \
        "$TMPDIR/catalog-1.json" >"$TMPDIR/plain-2.json"
    "$python" - "$TMPDIR" <<'END'
import hashlib, json, os, sys
directory = sys.argv[1]
for number, name in ((1, "catalog-1"), (2, "plain-2")):
    books = json.load(open(f"{directory}/{name}.json"))
    sums = []
    for book in books:
        data = open(f"{directory}/{book['contentUrl']}", "rb").read()
        book |= {"sha256": hashlib.sha256(data).hexdigest(), "fileSizeInBytes": len(data)}
        sums.append(book["sha256"])
    json.dump(books, open(f"{directory}/catalog-{number}.json", "w"))
    open(f"{directory}/wanted-{number}", "w").write("".join(sum + "\n" for sum in sorted(sums)))
END
    shelf --quiet import "$TMPDIR/catalog-1.json"
    catalog=$(status_of .paths.catalog)
    mount_shelf "$mount"
    shelf --quiet pin id:100 id:101 id:102 id:103 id:104
    annotate
    rounds=$([ "${CASES:-}" = full ] && echo 52 || echo 8)
    for ((round = 0; round < rounds; round++)); do
        case $((round % 4)) in
            0) work=commit ;;
            1) work=evict ;;
            2) work=import ;;
            3) work=migration ;;
        esac
        if [ "$work" = migration ]; then
            unmount_shelf "$mount"
            age_catalog
        elif [ "$work" = commit ]; then
            shelf --quiet evict all: 2>/dev/null || true
        else
            shelf --quiet fetch all:
        fi
        begin "$work" >"$TMPDIR/said" 2>&1 &
        job=$!
        remember "$job"
        pause=0.$(printf '%03d' $((RANDOM % 120)))
        sleep "$pause"
        kill_all
        wait "$job" 2>/dev/null || true
        mount_shelf "$mount" || fail "$work, killed after $pause s: it can't be mounted"
        check_catalog 5 || fail "$work, killed after $pause s: the catalog isn't right"
        [ "$work" != migration ] || same "the version of the catalog" 4 "$("$python" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version").fetchone()[0])' "$catalog")"
        # First what is on disk, without asking for anything.
        same "damaged files after $work, killed after $pause s" 0 "$(shelf --quiet --json verify | jq '.damaged | length')"
        check_tree "$work, killed after $pause s"
    done
    echo "$rounds times all killed"
    unmount_shelf "$mount"
}

as_root_and_as_user body "$@"
