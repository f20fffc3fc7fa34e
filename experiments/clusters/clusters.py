"""Five families: in two of them no change ever helps, one starts at its best, and two can be made much better."""

from scientist_experiment import Experiment

KEYS = "pqrstuvw"
# What a family is worth at its best, and where that is; None for anywhere.
FAMILIES = {
    "granite": (80, None),
    "basalt": (85, None),
    "amber": (120, (0, 0, 0, 0, 0, 0, 0, 0)),
    "clay": (150, (12, 17, 20, 15, 11, 18, 14, 19)),
    "loam": (160, (16, 13, 19, 11, 18, 20, 15, 12)),
}


def worth(parameters):
    best, place = FAMILIES[parameters["family"]]
    return best if place is None else best - sum(abs(parameters[key] - at) for key, at in zip(KEYS, place))


if __name__ == "__main__":
    exp = Experiment()
    exp.report("worth", worth(exp.parameters))
