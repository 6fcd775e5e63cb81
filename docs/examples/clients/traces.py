"""
Asks a Loom sidecar for traces through a running Grafana, and compares what its data sources Tempo and Jaeger say with Loom's own API.

  traces.py --grafana http://localhost:3000 --loom http://localhost:4319 [--query '{ duration > 100ms }']

Grafana has to let this script make data sources, as with `[auth.anonymous] enabled = true, org_role = Admin`. A backend can be built of its
Go module github.com/grafana/grafana@v1.9.2-0.20230609164553-81d85ce8028d: copy the module's directory, and in the copy

  go run github.com/google/wire/cmd/wire@v0.7.0 gen -tags oss ./pkg/server && go build -mod=mod -o grafana ./pkg/cmd/grafana
  ./grafana server --homepath . --config FILE
"""
import argparse, json, sys, urllib.error, urllib.parse, urllib.request

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--grafana", default="http://localhost:3000")
arguments.add_argument("--loom", default="http://localhost:4319")
arguments.add_argument("--query", default="{}")
options = arguments.parse_args()


def get(url):
    return json.load(urllib.request.urlopen(url))


def post(url, body):
    return urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})).read()


def source(kind):
    try:
        post(options.grafana + "/api/datasources", {"name": "loom-" + kind, "uid": "loom-" + kind, "type": kind, "access": "proxy",
                                                    "url": options.loom + "/" + kind})
    except urllib.error.HTTPError as error:
        if error.code != 409:  # it is there
            raise
    return options.grafana + "/api/datasources/proxy/uid/loom-" + kind


def of_loom(trace):
    lines = post(options.loom + "/v1/trace", {"trace_id": trace, "rows": True, "no-logs": True}).splitlines()
    rows = [json.loads(line) for line in lines[:-1] if line]
    return sorted((row["span_id"], row["parent_span_id"] or "", row["service"], row["name"]) for row in rows if row["row"] == "span")


def of_tempo(trace):
    answer = json.loads(post(options.grafana + "/api/ds/query", {"from": "0", "to": "0", "queries": [
        {"refId": "A", "datasource": {"uid": "loom-tempo", "type": "tempo"}, "queryType": "traceId", "query": trace}]}))
    frame = answer["results"]["A"]["frames"][0]
    columns = dict(zip([field["name"] for field in frame["schema"]["fields"]], frame["data"]["values"]))
    return sorted(zip(columns["spanID"], columns["parentSpanID"], columns["serviceName"], columns["operationName"]))


def of_jaeger(trace):
    found = get("%s/api/traces/%s" % (jaeger, trace))["data"][0]
    return sorted((span["spanID"], "".join(each["spanID"] for each in span["references"] if each["refType"] == "CHILD_OF"),
                   found["processes"][span["processID"]]["serviceName"], span["operationName"]) for span in found["spans"])


tempo, jaeger = source("tempo"), source("jaeger")
traces = [trace["traceID"] for trace in get("%s/api/search?limit=100&q=%s" % (tempo, urllib.parse.quote(options.query)))["traces"]]
spans = differences = 0
for trace in traces:
    expected = of_loom(trace)
    spans += len(expected)
    for name, found in (("tempo", of_tempo(trace)), ("jaeger", of_jaeger(trace))):
        if found != expected:
            differences += 1
            print("FAIL %s %s\n  loom: %s\n  %s: %s" % (name, trace, expected, name, found))
services = get(jaeger + "/api/services")["data"]
values = get(tempo + "/api/search/tag/service.name/values")["tagValues"]
differences += services != values
print("traces=%d spans=%d services=%d differences=%d" % (len(traces), spans, len(services), differences))
sys.exit(1 if differences or not spans else 0)
