#!/usr/bin/env bash
# A folder of EPUBs: files come, go, grow and break, and the shelf follows; nothing is copied, nothing there is written.
# seconds: 120
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs jq
needs_fuse
folder=$TMPDIR/folder mount=$TMPDIR/shelf
mkdir -p "$folder/Deep/er"
number=0
for file in "$SAMPLES"/books/*.epub; do
    number=$((number + 1))
    [ "$number" -le 6 ] || break
    cp "$file" "$folder/book-$number.epub"
done
mv "$folder/book-6.epub" "$folder/Deep/er/Bücher.epub"
echo "no book" >"$folder/Broken One.epub"
touch -d "1 hour ago" "$folder/Broken One.epub"
echo "notes" >"$folder/notes.txt"
mkfifo "$folder/pipe.epub"
ln -s . "$folder/loop"

# A book in two categories is one file.
has_files() { [ "$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)" = "$1" ]; }
titles() { shelf --json list | jq -r '.books[].title' | sort | xargs -d '\n'; }
known() { shelf --json sync | jq -r '.sources[0] | "\(.added) \(.updated) \(.removed) \(.skipped | length)"'; }

echo "== added, synced, read"
shelf source add folder "$folder" | grep -q "kind folder" || fail "a folder isn't recognised"
same "first sync" "7 0 0 1" "$(known)"
same "second sync" true "$(shelf --json sync | jq '.sources[0].notModified')"
mount_shelf "$mount" --sync-interval 1d
within 5 has_files 7 || fail "files: $(find "$mount" -type f)"
for file in "$folder"/book-?.epub "$folder/Deep/er/Bücher.epub" "$folder/Broken One.epub"; do
    sha256sum <"$file"
done | sort >"$TMPDIR/wanted"
find "$mount" -type f | while read -r file; do sha256sum <"$file"; done | sort -u | cmp - "$TMPDIR/wanted" || fail "the bytes differ"
[ -e "$mount/Uncategorised/Broken One.epub" ] || fail "a broken book isn't listed under the name of its file"
same "copies in the cache" 0 "$(find "$XDG_CACHE_HOME/bookshelf/default/content" -type f | wc -l)"
same "state" local "$(shelf --json list | jq -r '[.books[].state] | unique[]')"

echo "== come, go, move"
unmount_shelf "$mount"
rm "$folder/book-1.epub"
cp "$folder/book-2.epub" "$folder/Deep/again.epub"
same "one gone, one come" "1 0 1 1" "$(known)"

echo "== one that is being written"
head -c 3000 "$folder/book-3.epub" >"$folder/new.epub"
same "half of a book" "0 0 0 2" "$(known)"
cp "$folder/book-3.epub" "$folder/new.epub"
same "the whole of it" "1 0 0 1" "$(known)"
# A book that was there stays while its file is written anew.
before=$(titles)
head -c 3000 "$folder/book-4.epub" >"$folder/new.epub"
same "written anew, by half" "0 0 0 2" "$(known)"
same "titles" "$before" "$(titles)"
cp "$folder/book-4.epub" "$folder/new.epub"
shelf --quiet sync

echo "== followed without being told"
mount_shelf "$mount" --sync-interval 1d
same "books of the new edition" 2 "$(find "$mount" -type f -exec cmp -s "$folder/new.epub" {} \; -printf '%i\n' | sort -u | wc -l)"
count=$(find "$mount" -type f -printf '%i\n' | sort -u | wc -l)
mkdir -p "$folder/later/yet"
cp "$folder/book-3.epub" "$folder/later/yet/first.epub"
within 20 has_files $((count + 1)) || fail "a book that came isn't shown"
# By now the sync that follows mounting is over: nobody but who watches can see these.
cp "$folder/book-3.epub" "$folder/later/yet/second.epub"
within 20 has_files $((count + 2)) || fail "a second book that came isn't shown"
rm -r "$folder/later"
within 20 has_files "$count" || fail "books that went are still shown"
kill -KILL "$(worker)"
cp "$folder/book-3.epub" "$folder/again.epub"
within 20 has_files $((count + 1)) || fail "a book that came beside a crash isn't shown"
rm "$folder/again.epub"
within 20 has_files "$count" || fail "a book that went after a crash is still shown"
shelf --quiet source add more "$TMPDIR/more" --kind folder 2>/dev/null && fail "a folder that isn't there"
mkdir "$TMPDIR/more"
shelf --quiet source add more "$TMPDIR/more" --kind folder
shelf --quiet sync more
cp "$folder/book-5.epub" "$TMPDIR/more/"
within 20 has_files $((count + 1)) || fail "a book of a source that was added meanwhile isn't shown"
shelf --quiet source remove more
within 20 has_files "$count" || fail "a source that was removed"

echo "== a folder with the shelf in it"
mkdir "$folder/shelf"
unmount_shelf "$mount"
mount=$folder/shelf
mount_shelf "$mount" --sync-interval 1d
within 5 has_files "$count" || fail "files in a shelf that stands in its own folder"
cp "$folder/book-5.epub" "$folder/beside.epub"
within 20 has_files $((count + 1)) || fail "a book beside the shelf isn't shown"
same "books of the shelf itself" "0 0 0" "$(shelf --json sync folder | jq -r '.sources[0] | "\(.added) \(.updated) \(.removed)"')"
shelf --quiet source add itself "$mount/Uncategorised" --kind folder
refuses 1 "is in the shelf that is mounted" shelf sync itself
shelf --quiet source remove itself
rm "$folder/beside.epub"
within 20 has_files "$count" || fail "a book beside the shelf is still shown"
unmount_shelf "$mount"

echo "== the folder is away"
mv "$folder" "$folder-away"
refuses 1 "can't be read" shelf sync
same "books" "$count" "$(shelf --json list | jq .total)"
mv "$folder-away" "$folder"
shelf --quiet sync
refuses 1 "there is no folder" shelf source add other "$TMPDIR/nothing" --kind folder
refuses 2 "folder of this machine" shelf source add other https://books.example/ --kind folder

echo "== the folder is away for a while, and followed again"
mount_shelf "$mount" --sync-interval 1d
sleep 1
mv "$folder" "$folder-away"
sleep 4
mv "$folder-away" "$folder"
same "the shelf" "$count" "$(find "$mount" -type f | wc -l)"
sleep 4
cp "$folder/Deep/er/Bücher.epub" "$folder/new-after.epub"
within 20 has_files $((count + 1)) || fail "a folder that was away isn't followed any more"
unmount_shelf "$mount"
