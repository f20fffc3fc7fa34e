"""Four slots with one right choice each. How many are right is told, but never which."""

from scientist_experiment import Experiment

RIGHT = {"slot.a": "delta", "slot.b": "beta", "slot.c": "epsilon", "slot.d": "gamma"}


def right(parameters):
    return sum(parameters[slot] == choice for slot, choice in RIGHT.items())


if __name__ == "__main__":
    exp = Experiment()
    exp.report("right", right(exp.parameters))
