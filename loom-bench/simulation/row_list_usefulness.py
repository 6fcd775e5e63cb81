"""How often lists of rows alone rule out a unit, by simulation, beside equation 3 of ESTELLE. Needs numpy; prints a line for each setting.

Shares nothing with the Java code. Of a unit it draws the rows of two words and of the words that share their lists. Units count in
which both words are and no row has both: filters can't rule these out, and a search finds nothing there. "useful" is the share of these
that lists rule out, where a word may be in any row behind the last of a full list, as in the code; "complete" takes a list of k rows for
all of them, as the equation does; "left" is the mean share of a unit's rows that are left to read.
"""
import math
import sys

import numpy

# rows, probability that a row has a word, k, mean number of other words of one row each that share a list: the paper's 24,000 words in
# (2^18 + 8) / 18 lists; ours for every 32 bytes of a filter that ends its unit at a word for every 4 bytes, or is barely large enough
SETTINGS = [(65535, 0.0003, 18, 0), (65535, 0.0003, 18, 1.648), (24000, 0.0003, 18, 0), (24000, 0.0003, 18, 1.648),
            (24576, 0.0003, 18, 0), (24576, 0.0003, 18, 1.2), (24576, 0.0003, 18, 3), (24576, 0.0003, 18, 8),
            (24576, 0.0001, 18, 3), (24576, 0.0001, 18, 8), (24576, 0.00005, 18, 8), (24576, 0.0006, 18, 3),
            (24576, 0.0003, 32, 8)]
UNITS = 100_000


def equation3(rows, p, k):
    """With p_a = p_b = p; by logarithms, as the terms have up to 65,535 factors."""
    def term(m1, m2):
        choose = (math.lgamma(rows + 1) - math.lgamma(m1 + 1) - math.lgamma(m2 + 1) - math.lgamma(rows - m1 - m2 + 1))
        return math.exp(choose + (m1 + m2) * math.log(p) + (2 * rows - m1 - m2) * math.log1p(-p))

    most = min(rows // 2, int(rows * p + 12 * math.sqrt(rows * p) + 20))  # the rest is below 1e-16
    terms = numpy.array([[term(m1, m2) for m2 in range(1, most + 1)] for m1 in range(1, most + 1)])
    return terms[:k, :k].sum() / terms.sum()


def listed(random, own, others, rows, k):
    """What a list has, from which row on anything may be, and how many rows it would have had."""
    if others:
        own = numpy.union1d(own, random.integers(0, rows, random.poisson(others)))
    kept = own[:k]
    return kept, kept[-1] + 1 if len(kept) == k else rows, len(own)


def rows_left(a, a_open, b, b_open, rows):
    """Of a unit's rows, those in which both words may be."""
    listed_in_both = numpy.intersect1d(a, b, assume_unique=True).size
    behind = int((a >= b_open).sum()) + int((b >= a_open).sum())
    return listed_in_both + behind + rows - max(a_open, b_open)


def simulate(random, rows, p, k, others):
    """The shares of units that are ruled out if lists are open, and if they are taken for complete; and the mean share of rows left."""
    useful = complete = units = left = 0
    while units < UNITS:
        counts = random.binomial(rows, p, 2)
        if counts.min() == 0:
            continue
        a, b = (numpy.sort(random.choice(rows, count, replace=False, shuffle=False)) for count in counts)
        if numpy.intersect1d(a, b, assume_unique=True).size:
            continue
        units += 1
        of_a, a_open, a_rows = listed(random, a, others, rows, k)
        of_b, b_open, b_rows = listed(random, b, others, rows, k)
        remaining = rows_left(of_a, a_open, of_b, b_open, rows)
        left += remaining / rows
        useful += remaining == 0
        complete += a_rows <= k and b_rows <= k and not numpy.intersect1d(of_a, of_b, assume_unique=True).size
    return useful / units, complete / units, left / units


def main(seed):
    random = numpy.random.default_rng(seed)
    for rows, p, k, others in SETTINGS:
        useful, complete, left = simulate(random, rows, p, k, others)
        error = 1.96 * math.sqrt(max(useful * (1 - useful), 1 / UNITS) / UNITS)
        expected = equation3(rows, p, k)
        print(f"rows={rows} p={p} k={k} others={others} useful={useful:.5f} +-{error:.5f} complete={complete:.5f} left={left:.2e} "
              f"equation3={expected:.5f} ratio={useful / expected:.3f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20261124)
