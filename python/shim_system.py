"""What the shim asks the operating system: processes, memory, files. Linux first; elsewhere less is known, and
each function says what it then answers. Standard library only.
"""

import json
import os
import resource
import signal
import stat
import sys
import time

LINUX = sys.platform.startswith("linux")


def prctl(option, value):
    """Asks the kernel; a refusal only loses what the option would have added."""
    if not LINUX:
        return
    try:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        pass


def read(path):
    """The text of a small file, or an empty one."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def write_json(path, value, lasting):
    """Writes a file that appears whole, by rename; a lasting one survives a loss of power."""
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file)
        file.flush()
        if lasting:
            os.fsync(file.fileno())
    os.rename(temporary, path)


def start_time(pid):
    """When a process started, in the system's own words: equal words and equal boot mean the same process."""
    if LINUX:
        text = read(f"/proc/{pid}/stat")
        return text[text.rfind(")") + 2 :].split()[19] if text else ""
    import subprocess

    found = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return " ".join(found.stdout.split())


def descendants():
    """(pid, process group) of everything below this process, found by parent; zombies left out. Linux only."""
    children = {}
    for name in os.listdir("/proc") if LINUX else []:
        text = read(f"/proc/{name}/stat") if name.isdigit() else ""
        if text:
            state, parent, group = text[text.rfind(")") + 2 :].split()[:3]
            children.setdefault(int(parent), []).append((int(name), int(group), state))
    found, look = [], [os.getpid()]
    while look:
        for pid, group, state in children.get(look.pop(), []):
            look.append(pid)
            if state != "Z":
                found.append((pid, group))
    return found


def oom_kills():
    """How often the kernel has ended a process for memory since boot; 0 where it does not say."""
    for line in read("/proc/vmstat").splitlines():
        if line.startswith("oom_kill "):
            return int(line.split()[1])
    return 0


def resident_bytes(pids):
    """Resident memory of some processes, what they share counted in each."""
    total = 0
    for pid in pids:
        words = read(f"/proc/{pid}/statm").split()
        total += int(words[1]) * resource.getpagesize() if words else 0
    return total


def proportional_bytes(pids):
    """Resident memory of some processes, what they share counted once; slower, and exact for forks."""
    total = 0
    for pid in pids:
        for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1]) * 1024
    return total


def regular_size(path):
    """The size of a regular file, never of what a link points to; 0 when there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def disk_use(folders, most_entries):
    """(bytes of the regular files below some folders, number of files and folders); stops counting above most_entries."""
    total = entries = 0
    for folder in folders:
        for root, folders_in, names in os.walk(folder):
            entries += len(folders_in) + len(names)
            if entries > most_entries:
                return total, entries
            total += sum(regular_size(os.path.join(root, name)) for name in names)
    return total, entries


def keep_head_and_tail(path, limit):
    """Cuts a file that grew over its limit to its first and last part, with a line that says so between them."""
    size = regular_size(path)
    if size <= limit:
        return False
    half = limit // 2
    with open(path, "rb") as file:
        head = file.read(half)
        file.seek(size - half)
        tail = file.read(half)
    with open(path + ".tmp", "wb") as file:
        file.write(head + f"\n... {size - 2 * half} bytes left out ...\n".encode() + tail)
    os.rename(path + ".tmp", path)
    return True


def signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def wait_for_child(seconds):
    """Sleeps, but no longer than until a child ends."""
    if hasattr(signal, "sigtimedwait"):
        signal.sigtimedwait([signal.SIGCHLD], seconds)
    else:
        time.sleep(seconds)
