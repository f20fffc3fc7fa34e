"""A program whose every way to end can be chosen. Uses the variables of the contract alone, without the helper.

The score is deterministic: 1 minus the squared distance from an optimum, plus noise of at most 0.01 that is a
hash of dataset, seed and point. With a data folder (SCIENTIST_DATA_DIR) that can be written, it proves that a
device runs one program at a time: it holds the lock `tokens/<device>` until it and its children are dead
(exit code 97 when somebody else holds it) and writes `start` and `end` lines to `ledger.txt`.

knob.fail, on the dataset knob.fail_on or on all: none
  exception         raises a ValueError                exit_code       exits with code 3
  segfault          dies of SIGSEGV                    no_result       ends well without a final value
  bad_result        reports NaN                        infinite_result reports Infinity
  unknown_metric    reports `other`                    unknown_dataset reports for dataset `nowhere`
  two_results       reports the final value twice      broken_line     ends a report in the middle of a line
  memory            takes memory until it is stopped   disk            writes a file until it is stopped
  output            prints until it is stopped         many_files      makes files until it is stopped
  many_figures      draws 300 figures                  garbage         prints bytes that are no text, then raises
  exit_at_once      ends well, and does nothing else   killed          dies of SIGKILL, as when memory runs out
  huge_value        reports the largest number         deep_value      reports lists in lists in lists
  long_line         reports one line of 100 MB         delete_folder   deletes its folder after the final value
  results_link      puts a link in the place of the reported results; results_pipe, results_folder likewise
  hang              sleeps before the final value      hang_after_done sleeps after the final value
  stop_itself       stops itself by SIGSTOP            ignore_sigterm  like hang, and ignores every polite signal
  grandchild        leaves a sleeping child behind in its process group, after a final value
  setsid            the same with the child in a session of its own
"""

import json
import os
import signal
import sys
import time
import zlib

MIB = 1024 * 1024
OPTIMA = {"quadratic": (0.2, 12, "middle"), "ridge": (0.6, 7, "high"), "wave": (-0.4, 15, "high")}
LEVELS = {"low": 0.0, "middle": 0.5, "high": 1.0}


def main():
    with open(os.environ["SCIENTIST_PARAMS"], encoding="utf-8") as file:
        parameters = json.load(file)
    dataset, seed = os.environ["SCIENTIST_DATASET"], int(os.environ["SCIENTIST_SEED"])
    token = take_token()
    record("start")
    fail = parameters["knob.fail"]
    if parameters["knob.fail_on"] not in ("all", dataset):
        fail = "none"
    if fail == "exit_at_once":
        os._exit(0)
    if fail == "ignore_sigterm":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    ballast = take_memory(parameters["knob.memory_mib"])
    write_output(parameters["knob.output_kib"] * 1024)
    value = score(parameters, dataset, seed)
    work(parameters, dataset, value)
    FAILURES.get(fail, finish)(dataset, value)
    if fail in ("grandchild", "setsid"):
        leave_child(fail == "setsid", token)
    if fail == "hang_after_done":
        sleep_for_ever()
    print(f"{dataset} seed {seed}: score {value:.4f}, {len(ballast)} bytes of ballast")
    record("end")


def score(parameters, dataset, seed):
    """At most 1.01. The point alone decides it, up to noise of 0.01."""
    if parameters["sharp"] and parameters["x"] > 0.8:
        raise ValueError(f"x must be at most 0.8 when sharp is on, got {parameters['x']}")
    x, y, z = OPTIMA[parameters["family"]]
    shift = 0.1 * (zlib.crc32(dataset.encode()) % 3 - 1)
    distance = (parameters["x"] - x - shift) ** 2 + ((parameters["y"] - y) / 20) ** 2 + (LEVELS[parameters["z"]] - LEVELS[z]) ** 2 / 4
    if parameters["family"] == "wave":
        distance += min(1.0, abs(parameters["rate"] - 0.3)) / 4
    if parameters["sharp"]:
        distance *= 0.8 if distance < 0.05 else 1.5
    point = json.dumps([parameters.get(key) for key in ("family", "x", "y", "z", "sharp", "rate")])
    noise = zlib.crc32(f"{dataset}/{seed}/{point}".encode()) / 2**32 - 0.5
    return 1 - distance + 0.02 * noise


def work(parameters, dataset, value):
    """Runs for knob.duration_ms in knob.steps steps, on from the step that the checkpoint names."""
    steps, seconds = parameters["knob.steps"], parameters["knob.duration_ms"] / 1000
    if steps == 0:
        time.sleep(seconds)
    path = os.path.join(os.environ["SCIENTIST_CHECKPOINT"], "step")
    for step in range(first_step(path), steps):
        time.sleep(seconds / steps)
        report(dataset, value * (step + 1) / steps, step)
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(str(step + 1))
        os.replace(path + ".new", path)


def first_step(path):
    try:
        with open(path, encoding="utf-8") as file:
            return int(file.read())
    except (OSError, ValueError):
        return 0


def report(dataset, value, step=None, metric="score"):
    line = {"metric": metric, "value": value, "dataset": dataset}
    append(os.environ["SCIENTIST_RESULTS"], json.dumps(line if step is None else {**line, "step": step}) + "\n")


def append(path, text):
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(handle, text.encode())
    os.close(handle)


def finish(dataset, value):
    report(dataset, value)


def report_twice(dataset, value):
    report(dataset, value)
    report(dataset, value)


def raise_exception(_dataset, _value):
    raise ValueError("knob.fail is exception")


def take_all_memory(_dataset, _value):
    hoard = []
    while True:
        hoard.append(take_memory(16))


def fill_disk(_dataset, _value):
    with open(os.path.join(os.environ["SCIENTIST_OUT"], "large.bin"), "wb") as file:
        while True:
            file.write(b"\1" * MIB)


def print_for_ever(_dataset, _value):
    while True:
        write_output(MIB)


def make_files_for_ever(*_):
    number = 0
    while True:
        os.close(os.open(f"file-{number}", os.O_WRONLY | os.O_CREAT, 0o644))
        number += 1


def draw_many(dataset, value):
    for number in range(300):
        append(os.path.join(os.environ["SCIENTIST_OUT"], f"{number:03}.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>")
    report(dataset, value)


def print_garbage(*_):
    for _ in range(4):
        os.write(1, bytes(range(256)) * 64 + b"\n\x1b[2J\x00\xff\xfe\n")
    raise ValueError("knob.fail is \x1b[31mgarbage\x1b[0m \ud800".encode("utf-8", "surrogatepass").decode("latin-1"))


def report_deep(dataset, _value):
    deep = "[" * 100_000 + "]" * 100_000
    append(os.environ["SCIENTIST_RESULTS"], f'{{"metric": "score", "dataset": "{dataset}", "value": {deep}}}\n')


def report_long_line(*_):
    append(os.environ["SCIENTIST_RESULTS"], '{"metric": "')
    for _ in range(100):
        append(os.environ["SCIENTIST_RESULTS"], "s" * 1_000_000)
    append(os.environ["SCIENTIST_RESULTS"], '"}\n')


def delete_folder(dataset, value):
    import shutil

    report(dataset, value)
    shutil.rmtree(os.path.dirname(os.environ["SCIENTIST_RESULTS"]))


def replace_results(put):
    """Reports, and puts something else in the place of the results."""

    def act(dataset, value):
        path = os.environ["SCIENTIST_RESULTS"]
        report(dataset, value)
        os.rename(path, path + ".moved")
        put(path)

    return act


def sleep_for_ever(*_):
    while True:
        time.sleep(3600)


FAILURES = {
    "exception": raise_exception,
    "exit_code": lambda *_: sys.exit(3),
    "segfault": lambda *_: os.kill(os.getpid(), signal.SIGSEGV),
    "no_result": lambda *_: None,
    "bad_result": lambda dataset, _: report(dataset, float("nan")),
    "infinite_result": lambda dataset, _: report(dataset, float("inf")),
    "unknown_metric": lambda dataset, value: report(dataset, value, metric="other"),
    "unknown_dataset": lambda _, value: report("nowhere", value),
    "two_results": report_twice,
    "broken_line": lambda *_: append(os.environ["SCIENTIST_RESULTS"], '{"metric": "score", "val'),
    "memory": take_all_memory,
    "disk": fill_disk,
    "output": print_for_ever,
    "many_files": make_files_for_ever,
    "many_figures": draw_many,
    "garbage": print_garbage,
    "killed": lambda *_: os.kill(os.getpid(), signal.SIGKILL),
    "huge_value": lambda dataset, _: report(dataset, sys.float_info.max),
    "deep_value": report_deep,
    "long_line": report_long_line,
    "delete_folder": delete_folder,
    "results_link": replace_results(lambda path: os.symlink(path + ".moved", path)),
    "results_pipe": replace_results(os.mkfifo),
    "results_folder": replace_results(os.mkdir),
    "stop_itself": lambda *_: os.kill(os.getpid(), signal.SIGSTOP),
    "hang": sleep_for_ever,
    "ignore_sigterm": sleep_for_ever,
}


def leave_child(own_session, token):
    """A child that outlives the program for ten minutes and, having the token's descriptor, holds the token on."""
    import subprocess

    command = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(command, start_new_session=own_session, pass_fds=[] if token is None else [token])
    append(os.path.join(os.environ["SCIENTIST_OUT"], "children.txt"), f"{child.pid}\n")


def take_memory(mib):
    """That much memory, each page of it touched."""
    return bytearray(b"\1") * (mib * MIB)


def write_output(size):
    line = b"probe " * 10 + b"out\n"
    for _ in range(0, size, 64 * 1024):
        os.write(1, line * (min(size, 64 * 1024) // len(line)))


def data_folder():
    folder = os.environ.get("SCIENTIST_DATA_DIR", "")
    return folder if folder and os.access(folder, os.W_OK) else None


def take_token():
    """Takes the device's token alone; the kernel drops it when the last process that has it is dead."""
    folder = data_folder()
    if folder is None:
        return None
    import fcntl

    os.makedirs(os.path.join(folder, "tokens"), exist_ok=True)
    token = os.open(os.path.join(folder, "tokens", os.environ["SCIENTIST_DEVICE"]), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(token, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        record("refused")
        print("somebody else holds the token of this device", file=sys.stderr)
        sys.exit(97)
    return token


def record(what):
    """One line of the ledger: what, dataset, seed, device, pid, nanoseconds of a clock that all processes share."""
    folder = data_folder()
    if folder is None:
        return
    words = [what, *(os.environ[f"SCIENTIST_{name}"] for name in ("DATASET", "SEED", "DEVICE")), os.getpid(), time.monotonic_ns()]
    append(os.path.join(folder, "ledger.txt"), " ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    main()
