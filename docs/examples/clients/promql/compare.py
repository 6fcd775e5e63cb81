"""Asks a sidecar and Prometheus the same random queries, by HTTP, over the same samples, and counts differences beyond rounding.

    loom serve --dir D &                                        # an empty store
    python3 compare.py --prometheus prometheus --promtool promtool  # Debian's package, Prometheus 2.42
    python3 compare.py --oracle ./oracle                        # Prometheus 3's storage and engine, main.go, native histograms too

With --grafana grafana/grafana (grafana/main.go) what Grafana's data source makes of the answers is compared.
"""

import argparse
import collections
import json
import math
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import cases

KINDS = {"requests_total": ("requests", "", "sum"), "temperature": ("temperature", "", "gauge")}


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}


def number(text):
    return {"NaN": "NaN", "Inf": "Infinity", "-Inf": "-Infinity"}.get(text, None) or float(text)


def side(row, name):
    counts, index = {}, 0
    buckets = iter(row[name + "Buckets"])
    for span in row[name + "Spans"]:
        index += span["Offset"]
        for _ in range(span["Length"]):
            counts[index] = int(next(buckets))
            index += 1
    if not counts:
        return {"offset": 0, "bucketCounts": []}
    first = min(counts)
    # Prometheus numbers buckets by their upper ends
    return {"offset": first - 1, "bucketCounts": [str(counts.get(i, 0)) for i in range(first, max(counts) + 1)]}


def points(each, attributes):
    for i, at in enumerate(each["t"]):
        point = {"timeUnixNano": str(at * 1_000_000), "attributes": attributes}
        if each["v"][i] == "stale":
            yield point | {"flags": 1}
        elif "h" in each:
            row = each["h"][i]
            yield point | {
                "count": str(int(row["Count"])), "sum": row["Sum"], "scale": row["Schema"], "zeroCount": str(int(row["ZeroCount"])),
                "zeroThreshold": row["ZeroThreshold"], "positive": side(row, "Positive"), "negative": side(row, "Negative")}
        else:
            yield point | {"asDouble": number(each["v"][i])}


def metrics(series):
    """The series as metrics of OTLP, each with its resource."""
    histograms = collections.defaultdict(dict)
    for each in series:
        labels = dict(each["labels"])
        name, job, instance = labels.pop("__name__"), labels.pop("job"), labels.pop("instance")
        if name.startswith("latency_seconds"):
            histograms[job, instance][labels.get("le", name)] = each
            continue
        attributes = [attribute(key, value) for key, value in labels.items()]
        metric, unit, kind = KINDS.get(name, ("native", "s", "exponentialHistogram"))
        data = {"dataPoints": list(points(each, attributes))}
        if kind != "gauge":
            data["aggregationTemporality"] = 2
        if kind == "sum":
            data["isMonotonic"] = True
        yield job, instance, {"name": metric, "unit": unit, kind: data}
    for (job, instance), parts in histograms.items():
        rows = []
        for i, at in enumerate(parts["+Inf"]["t"]):
            counts = [float(parts["%g" % bound]["v"][i]) for bound in cases.BOUNDS] + [float(parts["+Inf"]["v"][i])]
            rows.append({
                "timeUnixNano": str(at * 1_000_000), "count": str(int(counts[-1])), "sum": float(parts["latency_seconds_sum"]["v"][i]),
                "explicitBounds": cases.BOUNDS,
                "bucketCounts": [str(int(b - a)) for a, b in zip([0] + counts, counts)]})
        yield job, instance, {"name": "latency", "unit": "s", "histogram": {"aggregationTemporality": 2, "dataPoints": rows}}


def send(otlp, series):
    for job, instance, metric in metrics(series):
        resource = {"attributes": [attribute("service.name", job), attribute("service.instance.id", instance)]}
        request = {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": [metric]}]}]}
        with urllib.request.urlopen(urllib.request.Request(
                otlp + "/v1/metrics", json.dumps(request).encode(), {"Content-Type": "application/json"})) as answer:
            assert answer.read() == b"{}"


def ask(base, query):
    path = "query_range" if query["step"] else "query"
    form = {"query": query["query"]}
    if query["step"]:
        form |= {"start": query["start"] / 1000, "end": query["end"] / 1000, "step": query["step"] / 1000}
    else:
        form |= {"time": query["start"] / 1000}
    try:
        with urllib.request.urlopen(base + "/api/v1/" + path, urllib.parse.urlencode(form).encode()) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as e:
        return json.load(e)["errorType"]


def by_grafana(program, base, queries):
    """What Grafana's data source makes of each query's answer."""
    lines = "".join(json.dumps(query) + "\n" for query in queries)
    printed = subprocess.run([program, base], input=lines, stdout=subprocess.PIPE, check=True, text=True).stdout
    answers = [json.loads(line) for line in printed.splitlines()]
    assert len(answers) == len(queries)
    return [each["error"] and "execution" or each["rows"] for each in answers]


def panels(result):
    """What Grafana's data source should make of an answer."""
    if not isinstance(result, list):
        return result
    found = []
    for row in result:
        points = row.get("values", [row["value"]] if "value" in row else [])
        histograms = row.get("histograms", [row["histogram"]] if "histogram" in row else [])
        for values in (
                [[round(at * 1000), value] for at, value in points],
                [[round(at * 1000), *bucket[1:]] for at, histogram in histograms for bucket in histogram.get("buckets", [])]):
            if values:
                found.append({"metric": row["metric"], "values": values})
    return found


def flat(value):
    """Numbers and texts in their order."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from flat(each)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield key
            yield from flat(value[key])
    else:
        yield value


def rows(result):
    if not isinstance(result, list):
        return result
    return sorted((json.dumps(row["metric"], sort_keys=True), {k: v for k, v in row.items() if k != "metric"}) for row in result)


def same(a, b):
    if not isinstance(a, list) or not isinstance(b, list):
        return isinstance(a, str) and isinstance(b, str)
    if [row[0] for row in a] != [row[0] for row in b]:
        return False
    left, right = list(flat([row[1] for row in a])), list(flat([row[1] for row in b]))
    return len(left) == len(right) and all(equal(x, y) for x, y in zip(left, right))


def equal(x, y):
    try:
        x, y = float(x), float(y)
    except ValueError:
        return x == y
    return x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= 1e-11 * max(abs(x), abs(y))


def serve(prometheus, promtool, series, folder):
    """Starts Prometheus over the samples; returns the process and its address."""
    text = os.path.join(folder, "samples.txt")
    with open(text, "w") as out:
        for each in series:
            labels = dict(each["labels"])
            name = labels.pop("__name__")
            shown = ",".join(f'{key}="{value}"' for key, value in labels.items())
            for at, value in zip(each["t"], each["v"]):
                out.write(f"{name}{{{shown}}} {value.replace('Inf', '+Inf').replace('-+', '-')} {at / 1000:.3f}\n")
        out.write("# EOF\n")
    data = os.path.join(folder, "data")
    subprocess.run([promtool, "tsdb", "create-blocks-from", "openmetrics", text, data], check=True, stdout=subprocess.DEVNULL)
    config = os.path.join(folder, "prometheus.yml")
    open(config, "w").close()
    process = subprocess.Popen(
        [prometheus, "--config.file=" + config, "--storage.tsdb.path=" + data, "--storage.tsdb.retention.time=90y",
         "--web.listen-address=127.0.0.1:27490"], stderr=subprocess.DEVNULL)
    base = "http://127.0.0.1:27490"
    for _ in range(300):
        try:
            urllib.request.urlopen(base + "/-/ready")
            return process, base
        except OSError:
            time.sleep(0.1)
    raise SystemExit("prometheus did not start")


parser = argparse.ArgumentParser()
parser.add_argument("--loom", default="http://127.0.0.1:4319/prometheus")
parser.add_argument("--otlp", default="http://127.0.0.1:4318")
parser.add_argument("--oracle")
parser.add_argument("--prometheus")
parser.add_argument("--promtool", default="promtool")
parser.add_argument("--grafana")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=1000)
args = parser.parse_args()

modern = args.oracle is not None
asked = cases.cases(args.seed, args.count, modern)
if args.grafana:
    for query in asked["queries"]:
        if query["step"]:  # Grafana asks at multiples of the step, which it knows to the second
            query["step"] = query["step"] // 1000 * 1000
            query["start"], query["end"] = (query[end] // query["step"] * query["step"] for end in ("start", "end"))
send(args.otlp, asked["series"])


def answers(base):
    if args.grafana:
        return by_grafana(args.grafana, base, asked["queries"])
    return [ask(base, query) for query in asked["queries"]]


if modern:
    lines = subprocess.run([args.oracle], input=json.dumps(asked).encode(), stdout=subprocess.PIPE, check=True).stdout
    parsed = [json.loads(line) for line in lines.decode().splitlines()]
    expected = [each["error"] and "execution" or each["result"] or [] for each in parsed]
    expected = [panels(each) for each in expected] if args.grafana else expected
else:
    with tempfile.TemporaryDirectory() as folder:
        process, base = serve(args.prometheus, args.promtool, asked["series"], folder)
        expected = answers(base)
        process.terminate()
        process.wait()
different = collections.Counter()
values = 0
for query, right, found in zip(asked["queries"], expected, answers(args.loom)):
    values += sum(1 for _ in flat(right))
    if not same(rows(found), rows(right)):
        different[query["query"]] += 1
        if len(different) <= 10:
            print("differs:", json.dumps(query), "\n  expected", str(rows(right))[:600], "\n  found   ", str(rows(found))[:600])
print(f"{sum(different.values())} of {len(expected)} differ, {values} values")
