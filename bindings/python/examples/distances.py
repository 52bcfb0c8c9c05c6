#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How the distances to win of a slice are distributed, from a sample of its positions.

    PYTHONPATH=build/python bindings/python/examples/distances.py TABLES 2K-1K1C [out.png]

Positions are drawn at random; captures are left out, as the tables do. The picture needs matplotlib
(Debian: python3-matplotlib); without a file to draw it to, only the summary is printed."""

import random
import re
import sys
from collections import Counter

import kelso


def draw(r, kings, men, other_kings, other_men):
    """A position of the slice, the first side Black's, either side to move; None: draw again."""
    squares = r.sample(range(32), kings + men + other_kings + other_men)
    sets = [0, 0, 0, 0]
    for i, count in enumerate((men, kings, other_men, other_kings)):
        for _ in range(count):
            sets[i] |= 1 << squares.pop()
    try:
        p = kelso.Position.from_bits(*sets, kelso.Side(r.randrange(2)))
    except kelso.Error:
        return None
    return None if any(m.captured for m in p.moves()) else p


def sample(directory, slice_, samples):
    """How many positions win or lose in how many plies, and how many are drawn."""
    r, plies, draws, found = random.Random(1), {"win": Counter(), "loss": Counter()}, 0, 0
    with kelso.Tables(directory) as tables:
        while found < samples:
            p = draw(r, *slice_)
            if p is None:
                continue
            found += 1
            answer = tables.probe(p, "dtw")
            if answer.plies is None:
                draws += 1
            else:
                plies[str(answer.value)][answer.plies] += 1
    return plies, draws


def picture(name, plies, draws, samples, output):
    """Draw the distances as bars."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plot

    figure, axes = plot.subplots(figsize=(9, 4))
    for value, counter in plies.items():
        axes.bar(list(counter), list(counter.values()), width=0.9, label=f"{value} (side to move)")
    axes.set(title=f"{name}: {samples:,} random positions, {100 * draws / samples:.1f} % drawn",
             xlabel="plies to the end of the game", ylabel="positions")
    axes.legend()
    figure.tight_layout()
    figure.savefig(output)


def main(directory, name, output=None, samples=20000):
    numbers = re.fullmatch(r"(?:(\d)K)?(?:(\d)C)?-(?:(\d)K)?(?:(\d)C)?", name)
    if not numbers:
        sys.exit(f"{name}: expected a slice such as 2K-1K1C")
    plies, draws = sample(directory, [int(n or 0) for n in numbers.groups()], samples)
    longest = max((n for c in plies.values() for n in c), default=0)
    print(f"{name}: {samples} positions, {draws} draws, longest {longest} plies")
    if output:
        picture(name, plies, draws, samples, output)
        print(f"picture in {output}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
