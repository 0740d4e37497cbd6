"""Compares two folders of measure.py: a measured GPU with a simulated one.

    python3 tools/measure_gpu/compare.py docs/data/h100 predicted

Prints, for each family of kernels, the mean signed and the mean absolute error of the second folder's times; then for each training
step the errors of its time, and of the memory that is allocated and reserved at its peak. --half takes only every second row of each
family, beginning with the first (1) or with the second (2), so that numbers found with one half can be checked with the other.
"""

import argparse
import csv
import pathlib
from statistics import mean


def rows_of(file, key):
    with open(file, newline="") as table:
        return {tuple(row[column] for column in key): row for row in csv.DictReader(table)}


def chosen(keys, half):
    """Every second key of those that begin alike, or all without a half."""
    seen = {}
    for key in keys:
        at = seen[key[0]] = seen.get(key[0], -1) + 1
        if not half or at % 2 == half - 1:
            yield key


def errors_of_kernels(measured, predicted, half=0):
    """By family: the relative errors of the predicted times."""
    truth, told = (rows_of(folder / "times.csv", ("family", "case")) for folder in (measured, predicted))
    found = {}
    for key in chosen(truth, half):
        if key in told:
            error = float(told[key]["seconds"]) / float(truth[key]["seconds"]) - 1
            found.setdefault(key[0], []).append(error)
    return found


def errors_of_steps(measured, predicted):
    """By run: the relative errors of the predicted time, allocated and reserved memory."""
    truth, told = (rows_of(folder / "steps.csv", ("run",)) for folder in (measured, predicted))
    columns = ("seconds", "allocated", "reserved")
    return {run: [float(told[run,][each]) / float(row[each]) - 1 for each in columns] for (run,), row in truth.items() if (run,) in told}


def print_kernels(found):
    print(f"{'kernels':<46}{'cases':>6}{'bias':>9}{'error':>8}")
    for family, errors in found.items():
        print(f"{family:<46}{len(errors):>6}{mean(errors):>+9.1%}{mean(map(abs, errors)):>8.1%}")


def print_steps(found):
    print(f"{'step':<64}{'time':>9}{'allocated':>11}{'reserved':>10}")
    for run, (seconds, allocated, reserved) in found.items():
        print(f"{run:<64}{seconds:>+9.1%}{allocated:>+11.1%}{reserved:>+10.1%}")
    print(f"{'mean absolute error':<64}" + "".join(f"{mean(abs(each[at]) for each in found.values()):>{width}.1%}"
                                                  for at, width in enumerate((9, 11, 10))))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("predicted", type=pathlib.Path)
    parser.add_argument("--half", type=int, choices=(1, 2), default=0)
    options = parser.parse_args()
    if (options.predicted / "times.csv").exists():
        print_kernels(errors_of_kernels(options.measured, options.predicted, options.half))
    if (options.predicted / "steps.csv").exists():
        print_steps(errors_of_steps(options.measured, options.predicted))


if __name__ == "__main__":
    main()
