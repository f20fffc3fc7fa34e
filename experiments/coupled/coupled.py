"""Eight keys of which one at a time may leave its default: whatever two changes gain alone, together they lose."""

from scientist_experiment import Experiment

# What each value of a key, from 0 to 4, gains as the only change. The largest is less than RIVALRY.
GAIN = {
    "a": [0, 3, 5, 2, -1],
    "b": [0, -2, 1, 4, 6],
    "c": [0, 2, -1, 3, 1],
    "d": [0, 7, 4, 1, -3],
    "e": [0, 1, 2, 8, 5],
    "f": [0, -1, 3, 6, 2],
    "g": [0, 4, 2, -2, 1],
    "h": [0, 1, 7, 3, 2],
}
RIVALRY = 10


def worth(parameters):
    changed = sum(parameters[key] != 0 for key in GAIN)
    return sum(gains[parameters[key]] for key, gains in GAIN.items()) - RIVALRY * max(0, changed - 1)


if __name__ == "__main__":
    exp = Experiment()
    exp.report("worth", worth(exp.parameters))
