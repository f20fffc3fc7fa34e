"""A smooth surface with several hollows, of which the deepest is known."""

import math

from scientist_experiment import Experiment


def height(x, y):
    return math.sin(x) * math.cos(y) + math.sin(x * y) + (x * x + y * y) / 20


if __name__ == "__main__":
    exp = Experiment()
    exp.report("height", height(exp.parameters["x"], exp.parameters["y"]))
