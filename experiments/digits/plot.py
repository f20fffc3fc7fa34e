"""Draws two figures of one parameter map on one dataset: the confusion matrix of the cross-validation, and the
accuracy of the first fold against the number of training rows.

Run like train.py, with the same variables and parameters; it reports no value.
"""

import os
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

from scientist_experiment import Experiment  # noqa: E402

import pipeline as program  # noqa: E402

SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)


def main():
    exp = Experiment()
    os.environ.setdefault("MPLCONFIGDIR", os.path.abspath(".matplotlib"))
    import matplotlib

    matplotlib.use("Agg")
    warnings.filterwarnings("ignore", message=".*converge.*")
    columns, labels = program.load(exp.dataset)
    exp.seed_all()
    splits = program.folds(labels, exp.seed)
    draw_confusion(exp, labels, predicted(exp, columns, labels, splits))
    draw_learning_curve(exp, columns, labels, splits[0])


def fitted(exp, columns, labels, rows):
    model = program.build(exp.parameters, columns.shape[1], exp.seed)
    program.fit(model, columns[rows], labels[rows], lambda _: None)
    return model


def predicted(exp, columns, labels, splits):
    """What each row is taken for by the model that did not see it."""
    guesses = labels.copy()
    for train, test in splits:
        guesses[test] = fitted(exp, columns, labels, train).predict(columns[test])
    return guesses


def draw_confusion(exp, labels, guesses):
    from matplotlib import pyplot
    from sklearn.metrics import confusion_matrix

    counts = confusion_matrix(labels, guesses)
    figure, axes = pyplot.subplots(figsize=(5, 4.5))
    shares = counts / counts.sum(axis=1, keepdims=True)
    image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for row, line in enumerate(counts):
        for column, count in enumerate(line):
            colour = "white" if shares[row][column] > 0.5 else "black"
            axes.text(column, row, count, ha="center", va="center", fontsize=8, color=colour)
    accuracy = counts.trace() / counts.sum()
    axes.set(xlabel="predicted class", ylabel="true class", title=f"{exp.dataset}, seed {exp.seed}: accuracy {accuracy:.3f}")
    axes.set_xticks(range(len(counts)))
    axes.set_yticks(range(len(counts)))
    figure.colorbar(image, label="share of the true class")
    save(figure, exp.figure(f"confusion-{exp.dataset}.png"))


def draw_learning_curve(exp, columns, labels, split):
    from matplotlib import pyplot

    train, test = split
    sizes, scores = [], []
    for share in SHARES:
        rows = train[: int(len(train) * share)]
        try:
            score = fitted(exp, columns, labels, rows).score(columns[test], labels[test])
        except ValueError:
            continue  # Too few rows for this model (neighbours, components) is no error of the candidate.
        sizes.append(len(rows))
        scores.append(score)
    figure, axes = pyplot.subplots(figsize=(5, 3.5))
    axes.plot(sizes, scores, marker="o")
    axes.set(xlabel="training rows", ylabel="accuracy on held-out rows", title=f"{exp.dataset}, seed {exp.seed}: learning curve")
    axes.grid(alpha=0.3)
    save(figure, exp.figure(f"learning-{exp.dataset}.png"))


def save(figure, path):
    from matplotlib import pyplot

    figure.savefig(path, dpi=110, bbox_inches="tight")
    pyplot.close(figure)


if __name__ == "__main__":
    main()
