"""The contract between durable-scientist and an experiment program, in two lines.

    from scientist_experiment import Experiment
    exp = Experiment()                       # reads the variables below, seeds the generators
    exp.report("accuracy", 0.93, step=1)     # progress, as often as you like
    exp.report("accuracy", 0.97)             # the final value: exactly one per metric and dataset

Nothing here is needed to take part: a program in any language does the same with the variables alone.

    SCIENTIST_DATASET       name of the dataset to evaluate on
    SCIENTIST_SEED          whole number, 0 to 2**31 - 1; decides every random choice
    SCIENTIST_PARAMS        path of a JSON file: a flat map from component key to value
    SCIENTIST_RESULTS       path of results.jsonl; append JSON lines {"metric", "value", "dataset", "step"};
                            with "step" a line is progress, without it the final value
    SCIENTIST_OUT           folder for figures (PNG, SVG) and whatever else is worth keeping
    SCIENTIST_CHECKPOINT    folder that the next attempt finds again after a crash, on any device
    SCIENTIST_DEVICE        name of the device, e.g. cpu0; the program sees only this one
    SCIENTIST_TIME_LIMIT_S  seconds until SIGTERM; SIGKILL follows after the grace period
    SCIENTIST_DATA_DIR      folder with data, for reading; missing or empty where the run has none

The working folder is fresh and holds the program's files. Exit code 0 and one final line per metric are
success. Everything printed is captured. Only the standard library is imported here, so that a program which
needs nothing else starts in milliseconds.
"""

import hashlib
import json
import os
import random
import signal
import sys
from pathlib import Path

# First word of a checkpoint file, and the version of what follows: the hash of the content, a line break, the content.
CHECKPOINT_MARK = "scientist-checkpoint-1"


class Experiment:
    """One evaluation as its program sees it. Seeds `random` (and numpy and torch, if they are imported)."""

    def __init__(self, environ=None):
        environ = os.environ if environ is None else environ
        self.dataset = _variable(environ, "DATASET")
        self.seed = int(_variable(environ, "SEED"))
        self.parameters = json.loads(Path(_variable(environ, "PARAMS")).read_text(encoding="utf-8"))
        self.out = Path(_variable(environ, "OUT"))
        self.checkpoint = Path(_variable(environ, "CHECKPOINT"))
        self.device = _variable(environ, "DEVICE")
        self.time_limit_s = float(_variable(environ, "TIME_LIMIT_S"))
        data_dir = environ.get("SCIENTIST_DATA_DIR", "")
        self.data_dir = Path(data_dir) if data_dir else None
        self._results = _variable(environ, "RESULTS")
        self._watches_stop = False
        self._stop_asked = False
        self.seed_all()

    def seed_all(self):
        """Seeds `random`, and numpy and torch as far as they are imported by now. Call it again after a late import."""
        random.seed(self.seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(self.seed)
        if "torch" in sys.modules:
            sys.modules["torch"].manual_seed(self.seed)

    def report(self, metric, value, step=None, dataset=None):
        """Appends one value: progress with `step` (a whole number from 0), final without it.

        A value that is not finite is written as it is, so that it is reported as a bad result instead of
        being lost. One write per line keeps lines whole even when several processes report at once.
        """
        line = {"metric": metric, "value": float(value), "dataset": self.dataset if dataset is None else dataset}
        if step is not None:
            line["step"] = int(step)
        handle = os.open(self._results, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, (json.dumps(line) + "\n").encode())
            if step is None:
                os.fsync(handle)
        finally:
            os.close(handle)

    def figure(self, name):
        """Path of the figure `name` (a PNG or SVG file name without a folder) in the output folder."""
        if Path(name).name != name or Path(name).suffix not in (".png", ".svg"):
            raise ValueError(f"a figure is a .png or .svg file name without a folder, got {name!r}")
        self.out.mkdir(parents=True, exist_ok=True)
        return self.out / name

    def save(self, name, data):
        """Puts `data` (a JSON value) into the checkpoint folder, as `save_bytes` does."""
        self.save_bytes(name, json.dumps(data).encode())

    def load(self, name, default=None):
        """What an earlier attempt saved under `name`; `default` when there is nothing usable."""
        content = self.load_bytes(name)
        return default if content is None else json.loads(content)

    def save_bytes(self, name, content):
        """Puts `content` (bytes: a pickle, a weights file) into the checkpoint folder under a file name.

        Whole or not at all, whenever the program is killed: it replaces what was saved before in one step, and its
        hash stands before it. One process saves under a name; others take a name each.
        """
        path = self._checkpoint_file(name)
        self.checkpoint.mkdir(parents=True, exist_ok=True)
        # The same name each time, so that what a killed attempt left of it is overwritten and does not add up.
        temporary = path.with_name(f".{name}.new")
        with open(temporary, "wb") as file:
            file.write(f"{CHECKPOINT_MARK} {hashlib.sha256(content).hexdigest()}\n".encode())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)

    def load_bytes(self, name):
        """The bytes that an earlier attempt saved under `name`; `None` when there are none.

        Damaged ones are set aside as `<name>.damaged` and count as none, which is printed: the program begins anew.
        """
        path = self._checkpoint_file(name)
        try:
            head, _, content = path.read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        if head.decode(errors="replace") == f"{CHECKPOINT_MARK} {hashlib.sha256(content).hexdigest()}":
            return content
        os.replace(path, path.with_name(f"{name}.damaged"))
        print(f"checkpoint {name} is damaged: set aside as {name}.damaged, beginning without it", flush=True)
        return None

    def should_stop(self):
        """Whether the program was asked to end (SIGTERM), to be called between steps: save, and leave.

        From the first call on SIGTERM no longer ends the program by itself; SIGKILL follows after the grace
        period. A program that saves after every step can do without. False in any other than the main thread.
        """
        if not self._watches_stop:
            self._watches_stop = True
            try:
                signal.signal(signal.SIGTERM, self._on_stop)
            except ValueError:
                pass  # Only the main thread may; the signal ends the program then, as it does without this call.
        return self._stop_asked

    def _on_stop(self, _number, _frame):
        self._stop_asked = True

    def _checkpoint_file(self, name):
        if not name or Path(name).name != name or name.startswith("."):
            raise ValueError(f"a checkpoint is a file name without a folder, got {name!r}")
        return self.checkpoint / name


def _variable(environ, name):
    value = environ.get(f"SCIENTIST_{name}", "")
    if not value:
        raise SystemExit(
            f"SCIENTIST_{name} is not set. An experiment program is started by durable-scientist; "
            f"to run it by hand, set the variables listed in {Path(__file__).name}."
        )
    return value
