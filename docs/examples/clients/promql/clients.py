"""Asks a sidecar by clients of Prometheus, and compares what they print with what went in.

    python3 -m venv venv && venv/bin/pip install prometheus-api-client==0.7.2
    loom serve --dir D &                     # an empty store
    venv/bin/python clients.py --promtool promtool
"""

import argparse
import datetime
import json
import subprocess
import time
import urllib.request

from prometheus_api_client import PrometheusConnect

parser = argparse.ArgumentParser()
parser.add_argument("--loom", default="http://127.0.0.1:4319/prometheus")
parser.add_argument("--otlp", default="http://127.0.0.1:4318")
parser.add_argument("--promtool", default="promtool")
args = parser.parse_args()

BEGIN_S = int(time.time()) // 60 * 60 - 600


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}


def send(job, step):
    """A counter that rises by a step every 15 s, for ten minutes."""
    points = [
        {"timeUnixNano": str((BEGIN_S + 15 * i) * 10**9), "asInt": str(step * i), "attributes": [attribute("http.route", "/a")]}
        for i in range(41)]
    metric = {"name": "http.requests", "description": "all of them", "sum": {
        "aggregationTemporality": 2, "isMonotonic": True, "dataPoints": points}}
    request = {"resourceMetrics": [{
        "resource": {"attributes": [attribute("service.name", job)]}, "scopeMetrics": [{"metrics": [metric]}]}]}
    with urllib.request.urlopen(urllib.request.Request(
            args.otlp + "/v1/metrics", json.dumps(request).encode(), {"Content-Type": "application/json"})) as answer:
        assert answer.read() == b"{}"


def promtool(*arguments):
    return subprocess.run([args.promtool, "query", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def check(what, expected, found):
    assert expected == found, f"{what}: expected={expected!r}, found={found!r}"
    print("ok:", what)


send("shop", 30)
send("bank", 60)
end = BEGIN_S + 600
name = "http_requests_total"
rate = f"sum by (job) (irate({name}[5m]))"

at = f"--time={end}"
check(
    "promtool query instant",
    {f'{{job="bank"}} => 4 @[{end}]', f'{{job="shop"}} => 2 @[{end}]'},
    set(promtool("instant", at, args.loom, rate).splitlines()))
lines = promtool("range", f"--start={end - 120}", f"--end={end}", "--step=1m", args.loom, rate).splitlines()
check(
    "promtool query range",
    ['{job="bank"} =>', *[f"4 @[{end - 120 + 60 * i}]" for i in range(3)],
     '{job="shop"} =>', *[f"2 @[{end - 120 + 60 * i}]" for i in range(3)]],
    [line for line in lines if line])
check(
    "promtool query series",
    {f'{{__name__="{name}", http_route="/a", job="{job}"}}' for job in ("bank", "shop")},
    set(promtool("series", "--match", name, f"--start={BEGIN_S}", f"--end={end}", args.loom).splitlines()))
check("promtool query labels", ["bank", "shop"], promtool("labels", f"--start={BEGIN_S}", f"--end={end}", args.loom, "job").splitlines())

client = PrometheusConnect(url=args.loom, disable_ssl=True)
check("prometheus-api-client, check_prometheus_connection", True, client.check_prometheus_connection())
check("prometheus-api-client, all_metrics", True, name in client.all_metrics())
check("prometheus-api-client, get_label_values", ["bank", "shop"], client.get_label_values("job"))
check(
    "prometheus-api-client, custom_query",
    {("bank", "4"), ("shop", "2")},
    {(row["metric"]["job"], row["value"][1]) for row in client.custom_query(rate, params={"time": end})})
begin, last = datetime.datetime.fromtimestamp(end - 120), datetime.datetime.fromtimestamp(end)
rows = client.custom_query_range(rate, begin, last, "60")
check("prometheus-api-client, custom_query_range", [["4"] * 3, ["2"] * 3], [[value for _, value in row["values"]] for row in rows])
current = client.get_current_metric_value(name, {"job": "shop"})
check("prometheus-api-client, get_current_metric_value", ["1200"], [row["value"][1] for row in current])
