"""
Asks a running Grafana for each panel of dashboard.json, as its page does, and prints how many rows each query has.

  ask.py --grafana http://localhost:3000 --field loom:requests:latency_ns --logs app --from EPOCH_MS --to EPOCH_MS

Grafana must have the data sources of datasources.yaml. Exits with 1 if a query fails.
"""
import argparse, json, pathlib, sys, urllib.error, urllib.request

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--grafana", default="http://localhost:3000")
arguments.add_argument("--field", required=True)
arguments.add_argument("--logs", required=True)
arguments.add_argument("--from", dest="start", required=True)
arguments.add_argument("--to", dest="end", required=True)
arguments.add_argument("--step", type=int, default=1000, help="milliseconds")
options = arguments.parse_args()
failures = 0


def ask(datasource, target):
    step = "%dms" % options.step
    expression = target["expr"].replace("$field", options.field).replace("$logs", options.logs)
    expression = expression.replace("$__interval", step).replace("$__auto", step)
    query = dict(target, expr=expression, datasource=datasource, intervalMs=options.step, maxDataPoints=1000)
    body = {"from": options.start, "to": options.end, "queries": [query]}
    request = urllib.request.Request(options.grafana + "/api/ds/query", json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        answer = json.load(urllib.request.urlopen(request))["results"][target["refId"]]
    except urllib.error.HTTPError as error:
        answer = json.load(error)
        answer = answer.get("results", {}).get(target["refId"], {"error": answer})
    frames = answer.get("frames", [])
    return expression, answer.get("error"), sum(len((frame["data"]["values"] or [[]])[0]) for frame in frames)


for panel in json.loads((pathlib.Path(__file__).parent / "dashboard.json").read_text())["panels"]:
    for target in panel["targets"]:
        expression, error, rows = ask(panel["datasource"], target)
        failures += bool(error)
        print("%s %s: %s" % ("FAIL" if error else "ok  ", expression, error or "%d rows" % rows))
sys.exit(1 if failures else 0)
