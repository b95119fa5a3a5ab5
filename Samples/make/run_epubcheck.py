"""epubcheck over many files: in one virtual machine where a Java compiler is there, else a process a file."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

JAR = Path("/usr/share/java/epubcheck.jar")
BATCH = Path(__file__).parent / "CheckAll.java"


def faults(files):
    """Yields a line for each fault or warning."""
    if not JAR.is_file():
        yield f"no {JAR}: apt-get install epubcheck"
        return
    modules = subprocess.run(["java", "--list-modules"], capture_output=True, text=True, check=True).stdout
    if "jdk.compiler" in modules:
        yield from run(["java", "-cp", str(JAR), str(BATCH), *map(str, files)])
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for lines in pool.map(lambda file: list(run(alone(file))), files):
            yield from lines


def alone(file):
    return ["java", "-XX:TieredStopAtLevel=1", "-jar", str(JAR), str(file), "--quiet", "--failonwarnings"]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        yield from lines or [f"epubcheck ended with status {result.returncode}"]
