#!/usr/bin/env bash
# What is searched is found, by the command, by selectors and in the mount, in every script; what changes is found as it is.
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse
root=$TMPDIR/root mount=$TMPDIR/shelf
mkdir -p "$root"
make_books "$root/catalog.json" 12 '
    .[0] += {title: "Winter", author: "Ann Lee", category: "Novels"}
    | .[1] += {title: "A Winter Tale", author: "Ben Ott", category: "Novels"}
    | .[2] += {title: "Crème Brûlée", author: "Ann Winter", category: "Cooking"}
    | .[3] += {title: "三体", author: "刘慈欣", category: "科幻"}
    | .[4] += {title: "三国演义", author: "罗贯中", category: "历史"}
    | .[5] += {title: "Zoo", author: "Cy Fox", description: "A winter with animals 🐘.", category: "Novels"}
    | .[6] += {title: "Winter", author: "Cy Fox", category: "Poems"}
    | .[7] += {title: "Winter not bought", isPurchased: false}
    | .[8] += {title: "AC/DC: \"AND\" (not) near*", author: "x"}'

# The names in a directory, in its order, with "; " behind each.
names() {
    find "$1" -mindepth 1 -printf '%f; '
}

count() {
    find "$1" -mindepth 1 | wc -l
}

titles() {
    shelf --json search "$@" | jq -r '[.books[].title] | join("; ")'
}

echo "== the command"
shelf --quiet import "$root/catalog.json"
same "waiting before the first search" 12 "$(status_of .index.pending)"
same "best first" "Winter; Winter; A Winter Tale; Crème Brûlée; Zoo" "$(titles winter)"
same "waiting afterwards" 0 "$(status_of .index.pending)"
same "total" 5 "$(shelf --json search winter --limit 2 | jq .total)"
same "limit" 2 "$(shelf --json search winter --limit 2 | jq '.books | length')"
same "not purchased ones behind" "Winter; Winter; A Winter Tale; Crème Brûlée; Zoo; Winter not bought" "$(titles winter --all)"
same "accents" "Crème Brûlée" "$(titles 'CREME BRULEE')"
same "width" "Winter; Winter; A Winter Tale; Crème Brûlée; Zoo; Winter not bought" "$(titles --all 'ＷＩＮＴＥＲ')"
same "beginning" "A Winter Tale; Winter; Winter; Crème Brûlée; Zoo" "$(titles wint)"
same "two words" "Crème Brûlée; Winter" "$(titles ann winter)"
same "phrase" "A Winter Tale" "$(titles '"winter tale"')"
same "no phrase" "" "$(titles '"tale winter"')"
same "one character" "三体; 三国演义" "$(titles 三)"
same "two characters" "三国演义" "$(titles 国演)"
same "author" "三体" "$(titles 慈欣)"
same "emoji" "Zoo" "$(titles 🐘)"
same "nothing" '{"books":[],"total":0}' "$(shelf --json search '' | jq -c .)"
for typed in '"' 'AND' '(' '*' '^a' 'a:b' 'NEAR(' "'" '""' 'not "'; do
    shelf search -- "$typed" >/dev/null || fail "refused: $typed"
done
same "operators" 'AC/DC: "AND" (not) near*' "$(titles 'NOT (near* AND')"
same "slash" 'AC/DC: "AND" (not) near*' "$(titles 'ac/dc')"
refuses 2 "--limit needs a number" "$BOOKSHELF" search winter --limit none
refuses 2 "WORDS" "$BOOKSHELF" search
same "lines as of list" "$(shelf list search:国演)" "$(shelf search 国演)"
same "selector" "三国演义" "$(shelf --json info search:国演 | jq -r .title)"
refuses 1 "means several books" "$BOOKSHELF" info search:winter
shelf --quiet fetch 'search:"winter tale"'
same "what a selector fetched" "A Winter Tale" "$(shelf --json list | jq -r '.books[] | select(.state == "local") | .title')"

echo "== in the mount"
mount_shelf "$mount" --sync-interval 1d
same "not listed" "" "$(find "$mount" -maxdepth 1 -name '.*' -mindepth 1)"
same "nothing listed in it" "" "$(names "$mount/.search")"
same "best first" "Winter.epub; Winter - Cy Fox.epub; A Winter Tale.epub; Crème Brûlée.epub; Zoo.epub; " \
    "$(names "$mount/.search/winter")"
same "inode" "$(stat -c %i "$mount/Novels/Winter.epub")" "$(stat -c %i "$mount/.search/winter/Winter.epub")"
same "kind and mode" "directory 755" "$(stat -c '%F %a' "$mount/.search/winter")"
cmp "$mount/.search/国演/三国演义.epub" "$mount/历史/三国演义.epub"
same "nothing found" "" "$(names "$mount/.search/zzzz")"
same "parent" "$(stat -c %i "$mount/.search")" "$(stat -c %i "$mount/.search/winter/..")"
same "the parent's parent" "$(stat -c %i "$mount")" "$(stat -c %i "$mount/.search/winter/../..")"
! stat "$mount/.search/.git" >/dev/null 2>&1 || fail "a name with a dot is a search"
! touch "$mount/.search/winter/x" 2>/dev/null || fail "a search can be written to"
! mkdir "$mount/.search/new" 2>/dev/null || fail "a search can be made"
cp -r "$mount/.search/三" "$TMPDIR/copy"
same "copy" 2 "$(count "$TMPDIR/copy")"
for number in $(seq 300); do [ -d "$mount/.search/number $number" ] || fail "search $number isn't there"; done
same "after many searches" 5 "$(count "$mount/.search/winter")"

echo "== after the death of a worker"
before=$(worker)
kill -KILL "$before"
within 20 has_other_worker "$before" || fail "no other worker"
same "the search is there" 5 "$(count "$mount/.search/winter")"

echo "== what changes"
jq '.[0].title = "Spring" | .[6].title = "冬天" | del(.[5])' "$root/catalog.json" >"$TMPDIR/changed.json"
cp "$TMPDIR/changed.json" "$root/catalog.json"
shelf --quiet import "$root/catalog.json"
is_indexed() { [ "$(status_of .index.pending)" = 0 ]; }
within 20 is_indexed || fail "the mounted shelf doesn't follow: $(status_of .index.pending) wait"
shows() { [ "$(count "$mount/.search/winter")" = "$1" ]; }
within 5 shows 2 || fail "old titles are found: $(names "$mount/.search/winter")"
same "new title" "Spring.epub; " "$(names "$mount/.search/spring")"
same "new title in Chinese" "冬天.epub; " "$(names "$mount/.search/冬")"
same "revoked" "" "$(titles animals)"
same "by the command" "A Winter Tale; Crème Brûlée" "$(titles winter)"
unmount_shelf "$mount"

echo "== an index that is lost"
data=$XDG_DATA_HOME/bookshelf/default
rm -r "$data/search"
same "waiting" 11 "$(status_of .index.pending)"
same "made anew" "A Winter Tale; Crème Brûlée" "$(titles winter)"
printf 'not a database, but long enough to be one if it were' >"$data/search/index.db"
same "made anew once more" "Spring" "$(titles spring)"
