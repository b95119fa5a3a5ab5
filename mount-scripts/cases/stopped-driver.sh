#!/usr/bin/env bash
# A driver that is stopped answers nobody: status and unmount say so within seconds, and the shelf can be mounted again.
# seconds: 300
# shellcheck disable=SC2317  # functions that others call
# shellcheck source-path=SCRIPTDIR source=../case-steps
source "$(dirname "${BASH_SOURCE[0]}")/../case-steps"

needs_fuse

# Runs a command that must end by itself in less than 15 seconds, whatever its status.
soon() {
    local status=0
    timeout 15 "$@" || status=$?
    [ "$status" != 124 ] || fail "$* has not ended within 15 seconds"
    return "$status"
}

# The command, in the home of somebody else.
elsewhere() {
    XDG_CONFIG_HOME=$other_home/config XDG_DATA_HOME=$other_home/data XDG_CACHE_HOME=$other_home/cache \
        XDG_STATE_HOME=$other_home/state XDG_RUNTIME_DIR=$other_home "$BOOKSHELF" "$@"
}

body() {
    local other_home pid worker process round
    mount=$TMPDIR/shelf
    make_books "$TMPDIR/catalog.json" 3
    shelf --quiet import "$TMPDIR/catalog.json"

    echo "== mounted again as soon as unmount returns"
    for round in {1..15}; do
        mount_shelf "$mount" || fail "mounting again, round $round"
        unmount_shelf "$mount"
    done

    # Another shelf of the same name, of which nobody may take the one for the other.
    other_home=$TMPDIR/other-home
    mkdir -p "$other_home" "$TMPDIR/other-shelf"
    chmod 700 "$other_home"
    mounted_paths+=("$TMPDIR/other-shelf")
    elsewhere --quiet import "$TMPDIR/catalog.json"
    elsewhere --quiet mount "$TMPDIR/other-shelf"

    for process in worker supervisor both; do
        echo "== stopped: $process"
        mount_shelf "$mount"
        mkdir -p "$TMPDIR/other"
        ln -sfn "$mount" "$TMPDIR/link"
        pid=$(status_of '.mounts[0].pid') worker=$(status_of '.mounts[0].workerPid')
        case $process in
            worker) kill -STOP "$worker" ;;
            supervisor) kill -STOP "$pid" ;;
            both) kill -STOP "$pid" "$worker" ;;
        esac
        if [ "$process" != supervisor ]; then
            refuses 1 "bookshelf unmount" soon "$BOOKSHELF" status
            refuses 1 "bookshelf unmount" soon "$BOOKSHELF" mount "$TMPDIR/other"
            refuses 1 "bookshelf unmount" soon "$BOOKSHELF" fetch id:1
            # What needs no driver isn't held up.
            soon "$BOOKSHELF" --quiet list >/dev/null || fail "list"
            soon "$BOOKSHELF" --quiet info "$mount/Fiction/Book 3.epub" >/dev/null || fail "info"
        fi
        refuses 1 "already" soon "$BOOKSHELF" mount "$mount"
        soon "$BOOKSHELF" unmount "$TMPDIR/link/" 2>"$TMPDIR/said" || fail "unmount: $(cat "$TMPDIR/said")"
        cat "$TMPDIR/said"
        same "lines on standard error" 1 "$(wc -l <"$TMPDIR/said")"
        ! is_mounted "$mount" || fail "it is mounted still"
        within 5 gone "$pid" || fail "the supervisor goes on"
        within 5 gone "$worker" || fail "the worker goes on"
        mount_shelf "$mount" || fail "mounting again"
        cmp "$mount/Fiction/Book 3.epub" "$TMPDIR/books/book-3.epub" || fail "reading after it"
        unmount_shelf "$mount"
        cmp "$TMPDIR/other-shelf/Fiction/Book 3.epub" "$TMPDIR/books/book-3.epub" || fail "the other shelf"
    done
    elsewhere --quiet unmount "$TMPDIR/other-shelf"
}

as_root_and_as_user body "$@"
