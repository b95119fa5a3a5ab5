import Foundation
import Testing

extension MountTests {
    @Suite("Ordinary user", .enabled(if: geteuid() == 0, "needs root, to become somebody else"))
    struct OrdinaryUserTests {
        /// Runs commands in a mount namespace of their own, where everybody may open /dev/fuse.
        ///
        /// `as_user` runs a command without any privilege; `$state` and `$mount` are its directories.
        private static func script(_ lines: String) throws -> Command.Outcome {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
                "fuse-tests.\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let programs = directory.appendingPathComponent("programs")
            try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
            for name in ["fuse-fixture", "fuse-probe"] {
                try FileManager.default.copyItem(
                    at: Command.products.appendingPathComponent(name), to: programs.appendingPathComponent(name))
            }
            let prologue = """
                state=\(directory.path) mount=\(directory.path)/mount PATH=\(programs.path):$PATH
                as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=+all -- "$@"; }
                mknod -m 666 $state/fuse c 10 229
                touch /dev/fuse && mount --bind $state/fuse /dev/fuse
                head -c 1048576 /dev/urandom > $state/content
                mkdir $mount
                chown -R 65534:65534 $state
                serve() {
                    as_user fuse-fixture supervise $state $mount "$@" <&0 > $state/out 2>&1 &
                    supervisor=$!
                    for i in $(seq 200); do
                        if grep -qE 'ready|error' $state/out 2>/dev/null; then break; fi
                        sleep 0.05
                    done
                }

                """
            let inPrivateMounts = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../mount-scripts/in-private-mounts").standardizedFileURL.path
            return try Command([inPrivateMounts, "bash", "-c", prologue + lines]).finish(within: 30)
        }

        @Test("A user mounts through fusermount3, uses the mount alone and unmounts it")
        func mountsAsUser() throws {
            let outcome = try Self.script(
                """
                serve
                grep -o 'resend true' $state/out
                as_user ls $mount/Fiction
                as_user cmp $state/content $mount/Fiction/Content.bin && echo same
                ls $mount 2>&1 | grep -o 'Permission denied'
                as_user fuse-probe writes $mount/Fiction $mount/Fiction/Memory.txt $mount/Fiction/Content.bin | grep -c EROFS
                as_user fuse-probe announce $state $mount/Fiction create New.bin
                as_user fuse-fixture unmount $mount; echo unmounted $?
                wait $supervisor; echo ended $?
                grep -c $mount /proc/mounts
                as_user fuse-fixture unmount $mount
                """)
            let expected = [
                "resend true", "Broken.bin", "Content.bin", "Memory.txt", "Parked.bin", "same", "Permission denied",
                "25",
                "announce ok", "unmounted 0", "ended 0", "0",
            ]
            #expect(Array(outcome.lines.prefix(expected.count)) == expected)
            #expect(outcome.lines.last?.contains("Nothing is mounted") == true)
        }

        @Test("A user's mount survives its worker and is unmounted while in use when asked lazily")
        func survivesAsUser() throws {
            let outcome = try Self.script(
                """
                serve
                as_user cmp -n 65536 $mount/Fiction/Parked.bin $state/content &
                reader=$!
                for i in $(seq 200); do grep -q park $state/events && break; sleep 0.05; done
                kill -9 $(sed -n 's/^worker //p' $state/out)
                for i in $(seq 200); do [ $(grep -c park $state/events) -gt 1 ] && break; sleep 0.05; done
                touch $state/gate
                wait $reader; echo read $?
                as_user bash -c "exec 3<$mount/Fiction/Memory.txt; touch $state/holding; sleep 5" &
                holder=$!
                for i in $(seq 200); do [ -e $state/holding ] && break; sleep 0.05; done
                as_user fuse-fixture unmount $mount; echo busy $?
                as_user fuse-fixture unmount $mount lazily; echo lazily $?
                wait $supervisor; echo ended $?
                kill $holder
                """)
            #expect(outcome.lines.contains("read 0"))
            #expect(outcome.lines.contains { $0.contains("is in use") })
            #expect(outcome.lines.contains("busy 1") && outcome.lines.contains("lazily 0"))
            #expect(outcome.lines.contains("ended 0"))
        }

        @Test("What keeps a user from mounting is said in words that help")
        func explainsRefusals() throws {
            let outcome = try Self.script(
                """
                explain() { as_user fuse-fixture supervise $state "$@" < /dev/null; echo status $?; }
                mount --bind /dev/null /etc/fuse.conf
                explain $mount allow_other
                echo user_allow_other > $state/fuse.conf
                mount --bind $state/fuse.conf /etc/fuse.conf
                explain $state/nowhere
                explain $state/content
                explain $mount unknown_option
                mkdir -m 755 $state/foreign
                explain $state/foreign
                chmod 600 $state/fuse; chown 0:0 $state/fuse
                explain $mount
                mount --bind /dev/null /usr/bin/fusermount3
                chmod 666 $state/fuse
                explain $mount
                """)
            let words = [
                "user_allow_other in /etc/fuse.conf", "nowhere doesn't exist", "content isn't a directory",
                "option isn't known", "aren't allowed to mount", "aren't allowed to mount", "isn't installed",
            ]
            let errors = outcome.lines.filter { $0.hasPrefix("error ") }
            #expect(errors.count == words.count, "\(outcome.output)")
            for (error, word) in zip(errors, words) { #expect(error.contains(word)) }
            #expect(outcome.lines.filter { $0 == "status 32" }.count == words.count)
        }
    }
}
