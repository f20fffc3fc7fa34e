"""Leads one attempt of an evaluation: starts the program, captures its output, enforces its limits, and ends
when nothing of it is alive. Standard library only; started as `python -I -S shim.py SPEC` in a session of its own.

It outlives the worker that started it, so it takes no orders over a pipe: a worker that wants the attempt
ended creates the file `cancel` in the attempt's folder. Everything that it knows it leaves in that folder:

  shim.json    at the start: its pid, start time and boot id, by which a restarted worker finds it
  output.log   what the whole process tree printed, captured by file descriptor
  exit.json    at the end, by rename: how the program ended, and that nothing of it is left

Rules:
  X1 exit.json is written only when no descendant is alive. On Linux the shim is the subreaper of its
     descendants, so "no children" (ECHILD) proves it, whatever they did (setsid, double fork).
  X2 The first limit that is passed is the reason; what follows from ending the program is not.
  X3 The shim ignores SIGTERM, SIGINT and SIGHUP; the program gets their defaults back.
  X4 A program whose shim is killed dies with it (PR_SET_PDEATHSIG, Linux).
"""

import json
import os
import resource
import signal
import sys
import time

# Started with -I -S, Python does not look beside the program by itself.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from shim_system import (  # noqa: E402
    LINUX,
    descendants,
    disk_use,
    keep_head_and_tail,
    oom_kills,
    prctl,
    proportional_bytes,
    read,
    regular_size,
    resident_bytes,
    signal_name,
    start_time,
    wait_for_child,
    write_json,
)

TICK_S = 0.05
# Longer pauses between looks at what costs more to look at: folders, and the memory of every process.
DISK_EVERY_S = 1.0
MEMORY_EVERY_S = 0.1
# Looking at many files takes long; this many times as long nothing is looked at then.
LOOK_SHARE = 20
# What a program leaves running when it ends by itself gets this long to follow, at most.
STRAGGLER_GRACE_S = 1.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
# Python ignores these; the program is to meet the system's defaults.
RESTORED = IGNORED + (signal.SIGPIPE, signal.SIGXFSZ)


class Attempt:
    """One attempt: its program, its limits, and why it was ended."""

    def __init__(self, spec):
        self.spec = spec
        self.limits = spec["limits"]
        self.folder = spec["folder"]
        self.program = 0
        self.status = None
        self.reason = None
        self.stragglers = 0
        self.started = time.monotonic()
        self.ooms = oom_kills()
        self.next_disk = self.started + DISK_EVERY_S
        self.next_memory = self.started

    def path(self, name):
        return os.path.join(self.folder, name)

    # ---- start

    def start(self):
        output = os.open(self.path("output.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        self.program = os.fork()
        if self.program == 0:
            try:
                self.become_program(output, nothing)
            except BaseException as error:
                os.write(2, f"{self.spec['argv'][0]} could not be started: {error}\n".encode())
                os._exit(127)
        os.close(output)
        os.close(nothing)

    def become_program(self, output, nothing):
        os.setpgid(0, 0)
        os.dup2(nothing, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        for number in RESTORED:
            signal.signal(number, signal.SIG_DFL)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        disk = self.limits["disk_bytes"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (disk, disk))
        if LINUX:
            # When memory runs out, the kernel is to take the program and not its shim or worker.
            with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
                file.write("500")
        os.chdir(self.spec["cwd"])
        os.execve(self.spec["argv"][0], self.spec["argv"], self.spec["env"])

    def identity(self):
        """As src/adapters/process-identity.ts has it, so that a worker can tell this very process from a later one."""
        boot_id = read("/proc/sys/kernel/random/boot_id").strip()
        return {"pid": os.getpid(), "startTime": start_time(os.getpid()), "bootId": boot_id}

    # ---- while it runs

    def passed_limit(self):
        """The limit that the program has passed, or None."""
        now = time.monotonic()
        if os.path.exists(self.path("cancel")):
            return "cancelled"
        if not os.path.exists(self.folder):
            return self.folder_gone()
        if now - self.started > self.limits["time_s"]:
            return "timeout"
        if self.over_output():
            return "output_too_large"
        if now >= self.next_memory:
            self.next_memory = now + MEMORY_EVERY_S
            if self.over_memory():
                return "out_of_memory"
        if now >= self.next_disk:
            is_over = self.over_disk()
            spent = time.monotonic() - now
            self.next_disk = now + max(DISK_EVERY_S, LOOK_SHARE * spent)
            if is_over:
                return "disk_quota"
        return None

    def folder_gone(self):
        """A program that deletes its own folder is to blame; whoever deletes the whole run has no use for what it computes."""
        return "folder_deleted" if os.path.exists(os.path.dirname(self.folder)) else "cancelled"

    def over_output(self):
        sizes = [regular_size(self.path(name)) for name in ("output.log", "results.jsonl")]
        return max(sizes) > self.limits["output_bytes"]

    def over_memory(self):
        limit = self.limits["memory_bytes"]
        if limit is None or not LINUX:
            return False
        pids = [pid for pid, _ in descendants()]
        return resident_bytes(pids) > limit and proportional_bytes(pids) > limit

    def over_disk(self):
        # A file that met the limit of a single file is over it together with the program beside it.
        used, entries = disk_use(self.spec["disk_folders"], self.limits["files"])
        return used > self.limits["disk_bytes"] or entries > self.limits["files"]

    def reap(self):
        """Collects what has ended; False when no child is left at all (X1)."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return not LINUX and self.group_alive()
            if pid == 0:
                return True
            if pid == self.program:
                self.status = status

    def group_alive(self):
        try:
            os.killpg(self.program, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    # ---- the end

    def send(self, number):
        """Signals the program's group and whatever has left it, each once: a second SIGTERM may mean something else."""
        outside = [(os.kill, pid) for pid, group in descendants() if group != self.program]
        for call, target in [(os.killpg, self.program)] + outside:
            try:
                call(target, number)
            except (ProcessLookupError, PermissionError):
                pass

    def end(self, grace_s):
        """Asks, waits, kills, and comes back when nothing is alive; what cannot die (a hung disk) is waited for."""
        self.send(signal.SIGTERM)
        until = time.monotonic() + grace_s
        while self.reap():
            if time.monotonic() >= until:
                self.send(signal.SIGKILL)
            wait_for_child(0.02)

    def run(self):
        while self.reap() and self.status is None and self.reason is None:
            wait_for_child(TICK_S)
            self.reason = self.passed_limit() if self.status is None else None
        if self.reason == "out_of_memory":
            self.end(0)
        elif self.reason is not None:
            self.end(self.limits["grace_s"])
        elif self.reap():
            self.stragglers = len(descendants())
            self.end(min(self.limits["grace_s"], STRAGGLER_GRACE_S))
        self.look_back()

    def look_back(self):
        """What was not seen between two looks."""
        killed = self.status is not None and os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status)
        if self.reason is None and not os.path.exists(self.folder):
            self.reason = self.folder_gone()
        if self.reason is None and self.over_output():
            self.reason = "output_too_large"
        if self.reason is None and (killed == signal.SIGXFSZ or self.over_disk()):
            self.reason = "disk_quota"
        if self.reason is None and killed == signal.SIGKILL and oom_kills() > self.ooms:
            self.reason = "out_of_memory"

    def exit_record(self):
        status = self.status
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        signalled = status is not None and os.WIFSIGNALED(status)
        return {
            "v": 1,
            "reason": self.reason,
            "exit_code": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
            "signal": signal_name(os.WTERMSIG(status)) if signalled else None,
            "duration_ms": round((time.monotonic() - self.started) * 1000, 1),
            # The system counts in KiB on Linux and in bytes on macOS.
            "peak_memory_kib": used.ru_maxrss if LINUX else used.ru_maxrss // 1024,
            "cpu_ms": round((used.ru_utime + used.ru_stime) * 1000, 1),
            "output_truncated": keep_head_and_tail(self.path("output.log"), self.limits["output_bytes"]),
            "stragglers": self.stragglers,
            "ended_by": "shim",
        }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        attempt = Attempt(json.load(file))
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "sigtimedwait"):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    write_json(attempt.path("shim.json"), attempt.identity(), lasting=False)
    attempt.start()
    try:
        attempt.run()
    except BaseException:
        attempt.end(0)
        raise
    if attempt.reason == "folder_deleted":
        os.makedirs(attempt.folder, exist_ok=True)
    write_json(attempt.path("exit.json"), attempt.exit_record(), lasting=True)
    # Nothing is left to tidy up, and the worker waits for this process to be gone.
    os._exit(0)


if __name__ == "__main__":
    main()
