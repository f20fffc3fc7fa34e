"""Scores parameter maps of the task digits without the cost of a process each: one JSON line in, one out.

Run with the folder of the task as its argument; a line is {"dataset", "seed", "parameters"}, the answer
{"value"} or {"failure"}. For the benches, which need thousands of values (bench/support/scorer.ts); what the
product reports comes from train.py alone.
"""

import json
import sys
import warnings

sys.path.insert(0, sys.argv[1])

import pipeline as program  # noqa: E402

warnings.filterwarnings("ignore")
DATA = {}


def score(dataset, seed, parameters):
    if dataset not in DATA:
        DATA[dataset] = program.load(dataset)
    columns, labels = DATA[dataset]
    total = 0
    for train, test in program.folds(labels, seed):
        model = program.build(parameters, columns.shape[1], seed)
        program.fit(model, columns[train], labels[train], lambda _: None)
        total += model.score(columns[test], labels[test])
    return total / program.FOLDS


for line in sys.stdin:
    try:
        answer = {"value": score(**json.loads(line))}
    except Exception as error:  # A candidate may fail in any way; that is its result.
        answer = {"failure": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
