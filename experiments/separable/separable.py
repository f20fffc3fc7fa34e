"""Eight keys that have nothing to do with each other: the worth of a point is the sum of what each key is worth."""

from scientist_experiment import Experiment

# The best value of each key, from 0 to 4, and what each step away from it costs.
BEST = {"a": 3, "b": 1, "c": 4, "d": 2, "e": 3, "f": 4, "g": 1, "h": 2}
STEP = {"a": 2, "b": 7, "c": 1, "d": 5, "e": 4, "f": 3, "g": 8, "h": 6}


def worth(parameters):
    return sum(STEP[key] * (4 - abs(parameters[key] - BEST[key])) for key in BEST)


if __name__ == "__main__":
    exp = Experiment()
    exp.report("worth", worth(exp.parameters))
