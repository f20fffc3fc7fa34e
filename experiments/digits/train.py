"""Measures one parameter map on one dataset: accuracy in a stratified three-fold cross-validation.

The seed draws the folds and seeds the model, so that another seed repeats the whole measurement on other
data, and the spread over seeds is the real one. Every row is predicted once by a model that did not see it.
Finished folds are kept as a checkpoint: an attempt that was killed goes on from the last of them.
"""

import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

from scientist_experiment import Experiment  # noqa: E402

import pipeline as program  # noqa: E402


def main():
    exp = Experiment()
    # Few iterations are a parameter here: not to have converged is no error.
    warnings.filterwarnings("ignore", message=".*converge.*")
    columns, labels = program.load(exp.dataset)
    exp.seed_all()
    scores = exp.load("folds.json", [])
    splits = program.folds(labels, exp.seed)
    progress = Progress(exp, scores)
    for train, test in splits[len(scores) :]:
        model = program.build(exp.parameters, columns.shape[1], exp.seed)
        held_out = (columns[test], labels[test])
        program.fit(model, columns[train], labels[train], lambda fitted: progress.add(fitted.score(*held_out)))
        scores.append(model.score(*held_out))
        exp.save("folds.json", scores)
        progress.add(sum(scores) / len(scores))
    exp.report("accuracy", sum(scores) / len(scores))
    print(f"{exp.dataset} seed {exp.seed}: folds {[round(score, 4) for score in scores]}")


class Progress:
    """Numbers the progress reports of an attempt, on from those of finished folds."""

    def __init__(self, exp, scores):
        self.exp = exp
        self.step = len(scores)

    def add(self, value):
        self.exp.report("accuracy", value, step=self.step)
        self.step += 1


if __name__ == "__main__":
    main()
