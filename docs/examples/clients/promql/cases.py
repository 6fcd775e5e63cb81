"""Random samples and random queries of them, by seed: what to ask Prometheus and Loom alike."""

import random

BEGIN_MS = 1_700_000_000_000
LENGTH_MS = 3_600_000
BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0]


def times(rng, edges):
    """The times of scrapes: about every 15 s, some missing; with edges some at full quarters of a minute, without none at full seconds."""
    at = BEGIN_MS + rng.randrange(0, 60_000)
    end = BEGIN_MS + LENGTH_MS - rng.choice([0, 0, 900_000])
    last = 0
    while at < end:
        if rng.random() > 0.08 and at > last:
            last = at
            yield at if edges else at // 1_000 * 1_000 + 500
        if rng.random() < 0.01:
            at += rng.randrange(200_000, 700_000)
        at += 15_000 + rng.choice([0, 0, rng.randrange(-2_000, 2_000)])
        if edges and rng.random() < 0.1:
            at = at // 15_000 * 15_000


def counter(rng, at, rate, least):
    value = least + rng.choice([0.0, rng.random() * 1000])
    values = []
    for _ in at:
        value = least if rng.random() < 0.01 else value
        # never the same twice, so that topk has no ties, whose order is nobody's business
        value += rng.choice([rng.randrange(0, 50), 0]) * rate + rng.random() * rate
        values.append(value)
    return values


def gauge(rng, at):
    value = rng.uniform(-100, 100)
    values = []
    for _ in at:
        value += rng.gauss(0, 5)
        values.append(rng.choice([value] * 60 + [round(value), float("nan"), float("inf"), float("-inf")]))
    return values


def text(value):
    return repr(value).replace("inf", "Inf").replace("nan", "NaN")


def histogram_values(rng, at, least):
    """Counts by bucket, and the sum, at each time."""
    counts = [least] * (len(BOUNDS) + 1)
    total = float(least)
    for _ in at:
        if rng.random() < 0.01:
            counts = [least] * len(counts)
            total = float(least)
        for _ in range(rng.randrange(0, 30)):
            value = rng.lognormvariate(-3, 1)
            total += value
            counts[next((i for i, bound in enumerate(BOUNDS) if value <= bound), len(BOUNDS))] += 1
        yield list(counts), total


def native(rng, at):
    """Exponential histograms as Prometheus' own type has them in JSON."""
    schema = rng.choice([0, 2, 3])
    counts = {}
    below = {}
    zero = 0
    total = 0.0
    for _ in at:
        if rng.random() < 0.02:
            counts, below, zero, total = {}, {}, 0, 0.0
            schema = rng.choice([0, 1, 2, 3])
        for _ in range(rng.randrange(0, 20)):
            index = int(rng.gauss(0, 4))
            counts[index] = counts.get(index, 0) + 1
            total += 2.0 ** (index / 2 ** schema)
        if rng.random() < 0.2:
            index = int(rng.gauss(0, 2))
            below[index] = below.get(index, 0) + 1
            total -= 2.0 ** (index / 2 ** schema)
        zero += rng.choice([0, 0, 1])

        def side(of):
            spans, buckets, last = [], [], None
            for index in sorted(of):
                if last is not None and index == last + 1:
                    spans[-1]["Length"] += 1
                else:
                    spans.append({"Offset": index if last is None else index - last - 1, "Length": 1})
                buckets.append(float(of[index]))
                last = index
            return spans, buckets

        positive_spans, positive = side(counts)
        negative_spans, negative = side(below)
        yield {
            "Schema": schema, "ZeroThreshold": 2.0 ** -128, "ZeroCount": float(zero),
            "Count": float(zero + sum(counts.values()) + sum(below.values())), "Sum": total,
            "PositiveSpans": positive_spans, "PositiveBuckets": positive,
            "NegativeSpans": negative_spans, "NegativeBuckets": negative,
        }


def series(rng, modern=True):
    """Series with labels, times in milliseconds, and values as texts or histograms."""
    found = []
    # Prometheus 2 extrapolates otherwise where a counter is near zero
    least = 0 if modern else 1_000_000

    def add(labels, at, values):
        at, values = list(at), [text(value) for value in values]
        if modern and len(at) > 20 and rng.random() < 0.3:
            values[rng.randrange(5, len(at) - 5)] = "stale"
        found.append({"labels": labels, "t": at, "v": values})

    for job in ("api", "db"):
        for instance in ("a:1", "b:1", "c:1"):
            for code in ("200", "500"):
                at = list(times(rng, modern))
                labels = {"__name__": "requests_total", "job": job, "instance": instance, "code": code}
                add(labels, at, counter(rng, at, 1 if code == "500" else 10, least))
            at = list(times(rng, modern))
            add({"__name__": "temperature", "job": job, "instance": instance}, at, gauge(rng, at))
            at = list(times(rng, modern))
            rows = list(histogram_values(rng, at, least))
            for i, bound in enumerate(BOUNDS + ["+Inf"]):
                le = bound if bound == "+Inf" else ("%g" % bound)
                labels = {"__name__": "latency_seconds_bucket", "job": job, "instance": instance, "le": le}
                found.append({"labels": labels, "t": at, "v": [text(float(sum(row[0][: i + 1]))) for row in rows]})
            for suffix, values in (("sum", [row[1] for row in rows]), ("count", [float(sum(row[0])) for row in rows])):
                labels = {"__name__": "latency_seconds_" + suffix, "job": job, "instance": instance}
                found.append({"labels": labels, "t": at, "v": [text(value) for value in values]})
            if modern:
                at = list(times(rng, modern))
                labels = {"__name__": "native_seconds", "job": job, "instance": instance}
                found.append({"labels": labels, "t": at, "v": ["0"] * len(at), "h": list(native(rng, at))})
    return found


class Queries:
    """Random expressions."""

    def __init__(self, rng, modern=True):
        self.rng = rng
        self.modern = modern
        # of numbers that are none, Prometheus 2 says otherwise
        self.spread = ["stddev", "stdvar"] if modern else []
        self.numbers = ["2", "0.5", "-1", "100", "1e3", "Inf", "0"] + (["5m"] if modern else [])  # durations since Prometheus 3

    def matchers(self):
        return self.rng.choice(
            ["", "", "", '{job="api"}', '{job!="api"}', '{instance=~"a.*|b.*"}', '{instance!~"a.*"}', '{job="api",instance="b:1"}',
             '{nope="x"}', '{nope=""}', '{job=~".+"}'])

    def duration(self):
        return self.rng.choice(["15s", "30s", "45s", "1m", "2m", "5m", "7m13s", "20m", "90s"])

    def offset(self):
        return self.rng.choice([""] * 5 + [" offset 1m", " offset -30s", " offset 7m"])

    def counter(self):
        return self.rng.choice(["requests_total", "requests_total", "latency_seconds_count", "latency_seconds_sum"])

    def any(self):
        return self.rng.choice([self.counter(), "temperature"])

    def range(self, name):
        return f"{name}{self.matchers()}[{self.duration()}]{self.offset()}"

    def instant(self, name):
        return f"{name}{self.matchers()}{self.offset()}"

    def by(self):
        return self.rng.choice(
            ["", "", " by (job)", " by (instance)", " by (job, instance)", " without (instance)", " without (code, job)",
             " by (nope)", " by (__name__)"])

    def number(self):
        return self.rng.choice(self.numbers)

    def vector(self, depth=0):
        rng = self.rng
        kind = rng.randrange(0, 17 if depth < 3 else 6)
        if kind == 0:
            return self.instant(self.any())
        if kind in (1, 2):
            return f"{rng.choice(['rate', 'increase', 'irate'])}({self.range(self.counter())})"
        if kind == 3:
            return f"{rng.choice(['delta', 'idelta', 'changes', 'resets'])}({self.range(self.any())})"
        if kind == 4:
            function = rng.choice(["count", "sum", "avg", "min", "max", "last", "present"] + self.spread)
            return f"{function}_over_time({self.range(self.any())})"
        if kind == 5:
            return f"quantile_over_time({rng.choice(['0.5', '0.9', '0', '1', '0.33'])}, {self.range('temperature')})"
        if kind in (6, 7):
            function = rng.choice(["sum", "avg", "min", "max", "count", "group"] + self.spread)
            return f"{function}{self.by()}({self.vector(depth + 1)})"
        if kind == 8:
            return f"quantile{self.by()}({rng.choice(['0.5', '0.9'])}, {self.vector(depth + 1)})"
        if kind == 9:
            return f"{rng.choice(['topk', 'bottomk'])}({rng.choice(['1', '3'])}, rate(requests_total[{self.duration()}]))"
        if kind in (10, 11):
            q = rng.choice(["0.5", "0.9", "0.99", "0", "1"])
            inner = f"rate(latency_seconds_bucket{self.matchers()}[{self.duration()}]{self.offset()})"
            if rng.random() < 0.6:
                inner = f"sum by (le{rng.choice(['', ', job', ', instance'])}) ({inner})"
            return f"histogram_quantile({q}, {inner})"
        if kind == 12:
            operator = rng.choice(["+", "-", "*", "/", "%", "^", ">", "<", ">=", "== bool", "> bool", "!="])
            sides = [self.vector(depth + 1), self.number()]
            rng.shuffle(sides)
            return f"({sides[0]}) {operator} {sides[1]}"
        if kind == 13:
            return (f"sum by (job) (rate(requests_total{self.matchers()}[5m])) {rng.choice(['/', '-', '>', '+', '> bool'])} "
                    f"{rng.choice(['', 'on (job) ', 'ignoring (nope) '])}sum by (job) (rate(requests_total[{self.duration()}]))")
        if kind == 14:
            return f"temperature {rng.choice(['and', 'or', 'unless'])} {rng.choice(['', 'on (job) ', 'ignoring (instance) '])}" \
                   f"({self.instant('temperature')} > 10)"
        if kind == 15:
            inner = self.vector(depth + 1)
            functions = ["abs", "-", "ceil", "floor", "sgn", "round", "timestamp", "sqrt", "ln"]
            return f"{rng.choice(functions)}({inner})"
        return self.native() if self.modern else self.instant("temperature")

    def native(self):
        rng = self.rng
        inner = rng.choice(
            [self.instant("native_seconds"), f"rate({self.range('native_seconds')})", f"increase({self.range('native_seconds')})",
             f"irate({self.range('native_seconds')})", f"sum_over_time({self.range('native_seconds')})"])
        if rng.random() < 0.4:
            inner = f"{rng.choice(['sum', 'avg'])}{rng.choice(['', ' by (job)', ' without (instance)'])}({inner})"
        outer = rng.choice(["", "histogram_count", "histogram_sum", "histogram_avg", "quantile", "quantile", "quantile"])
        if outer == "quantile":
            # at 0 Prometheus' answer depends on how a chunk was encoded: on buckets that are there, and empty
            return f"histogram_quantile({rng.choice(['0.5', '0.1', '0.9', '0.99', '1'])}, {inner})"
        return f"{outer}({inner})" if outer else inner

    def queries(self, count):
        for _ in range(count):
            start = BEGIN_MS + self.rng.randrange(0, LENGTH_MS) // 15_000 * 15_000 + self.rng.choice([0, 0, 0, 1, -1])
            if self.rng.random() < 0.5:
                yield {"query": self.vector(), "start": start, "end": start, "step": 0}
            else:
                step = self.rng.choice([15_000, 30_000, 60_000, 17_123])
                yield {"query": self.vector(), "start": start, "end": start + step * self.rng.randrange(1, 12), "step": step}


def cases(seed, count, modern=True):
    """Samples and queries; without what Prometheus 2 lacks, or means otherwise, if they are not modern."""
    rng = random.Random(seed)
    return {"series": series(rng, modern), "queries": list(Queries(rng, modern).queries(count))}
