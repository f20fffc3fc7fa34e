"""Measures one parameter map on one dataset: accuracy in a stratified three-fold cross-validation.

The seed draws the folds and seeds the model, so that another seed repeats the whole measurement on other
data, and the spread over seeds is the real one. Every row is predicted once by a model that did not see it.
After each fold, and each epoch of a model that learns in epochs, the state is saved: an attempt that follows a
killed one goes on from there, to the value that it would have had anyway.
"""

import os
import pickle
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

from scientist_experiment import Experiment  # noqa: E402

import pipeline as program  # noqa: E402

CHECKPOINT = "training.pickle"


def main():
    exp = Experiment()
    # Few iterations are a parameter here: not to have converged is no error.
    warnings.filterwarnings("ignore", message=".*converge.*")
    columns, labels = program.load(exp.dataset)
    exp.seed_all()
    training = Training(exp)
    splits = program.folds(labels, exp.seed)
    for train, test in splits[len(training.scores) :]:
        held_out = (columns[test], labels[test])
        model = training.model or program.build(exp.parameters, columns.shape[1], exp.seed)
        program.fit(model, columns[train], labels[train], lambda fitted: training.end_epoch(fitted, *held_out), training.epochs)
        training.end_fold(model.score(*held_out))
    scores = training.scores
    exp.report("accuracy", sum(scores) / len(scores))
    print(f"{exp.dataset} seed {exp.seed}: folds {[round(score, 4) for score in scores]}")


class Training:
    """How far the training is, as the checkpoint keeps it.

    Everything that decides what follows is in it: the accuracies of the finished folds, and the model of the
    present one after its latest epoch, with its weights, the moments of its optimiser and its random generator.
    """

    def __init__(self, exp):
        self.exp = exp
        saved = exp.load_bytes(CHECKPOINT)
        # Our own bytes, checked by their hash; nobody else writes into this folder.
        state = {} if saved is None else pickle.loads(saved)
        self.scores = state.get("scores", [])
        self.model = state.get("model")
        self.epochs = state.get("epochs", 0)
        self.step = state.get("step", 0)
        if saved is not None:
            print(f"goes on at step {self.step}: {len(self.scores)} folds and {self.epochs} epochs are done", flush=True)

    def end_epoch(self, model, columns, labels):
        self.model = model
        self.epochs += 1
        self._end_step(model.score(columns, labels))

    def end_fold(self, score):
        self.scores.append(score)
        self.model = None
        self.epochs = 0
        self._end_step(sum(self.scores) / len(self.scores))

    def _end_step(self, value):
        self.step += 1
        state = {"scores": self.scores, "model": self.model, "epochs": self.epochs, "step": self.step}
        self.exp.save_bytes(CHECKPOINT, pickle.dumps(state))
        self.exp.report("accuracy", value, step=self.step - 1)


if __name__ == "__main__":
    main()
