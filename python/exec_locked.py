"""Takes a lock, says who holds it, and becomes the given program.

    python exec_locked.py LOCK RECORD JSON PROGRAM [ARGUMENT ...]

The lock (flock on the file LOCK) is inherited by PROGRAM and dropped by the kernel when it ends, however it
ends, so a second one can never run. RECORD is written before PROGRAM starts: the object JSON with the
identity of this process, which stays that of PROGRAM. Exit code 75: the lock is held by another.
"""

import fcntl
import json
import os
import subprocess
import sys

HELD = 75


def start_time(pid: int) -> str:
    """As src/adapters/process-identity.ts reads it."""
    if sys.platform == "linux":
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return " ".join(told.stdout.split())


def boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def write_record(path: str, record: dict) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def main() -> None:
    lock_path, record_path, text, *command = sys.argv[1:]
    lock = os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(HELD)
    os.set_inheritable(lock, True)
    pid = os.getpid()
    identity = {"pid": pid, "startTime": start_time(pid), "bootId": boot_id()}
    write_record(record_path, {**json.loads(text), "identity": identity})
    os.execv(command[0], command)


main()
