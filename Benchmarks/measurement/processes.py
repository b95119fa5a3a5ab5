"""Running commands and looking at processes."""

import os
import pathlib
import signal
import statistics
import subprocess
import time

SHORT = 120  # Seconds that a command of no weight may take.
LONG = 1800  # Seconds that an import or a build may take.


class Failure(Exception):
    """Something that the measurement can't go on after."""


class Sample:
    """What one command took: seconds by the clock, seconds of processor time of it and the driver, KiB at its most."""

    def __init__(self, wall, processor, peak):
        self.wall, self.processor, self.peak = wall, processor, peak


def driver_time(pids):
    ticks = 0
    for pid in pids:
        try:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def pinning(processor):
    """For `preexec_fn`: keeps a process and what it starts on one processor; `None` leaves it alone."""

    def pin():
        if processor is not None:
            os.sched_setaffinity(0, {processor})

    return pin


def measured(words, environment, limit, processor=None, driver=()):
    """Runs a command to its end without its output; fails if it does or takes too long."""
    before = driver_time(driver)
    start = time.monotonic()
    process = subprocess.Popen(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=pinning(processor),
    )
    previous = signal.signal(signal.SIGALRM, lambda *_: process.kill())
    signal.alarm(limit)
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failure(f"{' '.join(map(str, words[:4]))} … ended with {process.returncode} after {wall:.1f} s")
    used = usage.ru_utime + usage.ru_stime + driver_time(driver) - before
    return Sample(wall, used, usage.ru_maxrss)


def median(samples, attribute="wall"):
    return statistics.median(getattr(sample, attribute) for sample in samples)


def children(pid):
    try:
        tasks = list(pathlib.Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def end(process):
    """Ends a process that was started here, by force if it doesn't go."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_until(is_true, what, limit=20):
    """Looks again and again, for a bounded time."""
    deadline = time.monotonic() + limit
    while not is_true():
        if time.monotonic() > deadline:
            raise Failure(f"{what}: not within {limit} s")
        time.sleep(0.005)


def detach(mountpoint):
    """Takes a mount away, whatever its state; nothing happens if there is none."""
    if any(line.split()[4] == str(mountpoint) for line in open("/proc/self/mountinfo", encoding="utf-8")):
        subprocess.run(["fusermount3", "-u", "-z", str(mountpoint)], check=False, timeout=SHORT)
