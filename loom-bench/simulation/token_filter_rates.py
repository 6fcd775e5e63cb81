"""How often a token filter is wrong, by simulation, beside equation 2 of ESTELLE. Needs numpy; prints a line for each setting.

Shares nothing with the Java code: instead of digests it draws fields and pairs of distinct bits at random.
"""
import itertools
import math
import sys

import numpy

SETTINGS = [(10, 100, 4000), (10, 400, 1000), (13, 1000, 2000), (13, 3000, 400), (13, 6000, 200),
            (16, 6000, 800), (16, 24000, 100), (18, 24000, 300), (18, 96000, 20)]
PROBES = 400_000
PAIRS = numpy.array([1 << a | 1 << b for a, b in itertools.combinations(range(32), 2)], dtype=numpy.uint64)


def draw(random, size_bits, count):
    """Fields' offsets, and the bytes of their four bits."""
    masks = PAIRS[random.integers(0, len(PAIRS), count)] << numpy.uint64(32) | PAIRS[random.integers(0, len(PAIRS), count)]
    return random.integers(0, 1 << size_bits, count), [(masks >> numpy.uint64(8 * i)).astype(numpy.uint8) for i in range(8)]


def wrong(random, size_bits, tokens):
    fields = numpy.zeros((1 << size_bits) + 8, dtype=numpy.uint8)
    offsets, masks = draw(random, size_bits, tokens)
    for i, mask in enumerate(masks):
        numpy.bitwise_or.at(fields, offsets + i, mask)
    offsets, masks = draw(random, size_bits, PROBES)
    hits = numpy.ones(PROBES, dtype=bool)
    for i, mask in enumerate(masks):
        hits &= fields[offsets + i] & mask == mask
    return hits.mean()


def equation2(size_bits, tokens):
    size = 1 << size_bits
    zero = 2 * 4 / size * math.comb(31, 2) / math.comb(32, 2) + (size - 8) / size
    return (1 - zero ** tokens) ** 4


def main(seed):
    random = numpy.random.default_rng(seed)
    for size_bits, tokens, filters in SETTINGS:
        rates = numpy.array([wrong(random, size_bits, tokens) for _ in range(filters)])
        rate, error = rates.mean(), 1.96 * rates.std(ddof=1) / math.sqrt(filters)
        expected = equation2(size_bits, tokens)
        print(f"sizeBits={size_bits} tokens={tokens} rate={rate:.4e} +-{100 * error / rate:.1f} % "
              f"equation2={expected:.4e} ratio={rate / expected:.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20261124)
