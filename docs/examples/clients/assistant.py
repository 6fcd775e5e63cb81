"""
Asks a Loom sidecar as an assistant does, by the official client of the Model Context Protocol, and compares what each tool answers with
what the command prints of the same store.

  assistant.py --loom ./loom

Needs mcp (PyPI, 2.3.0 or newer). The sidecar is started by this script, on free ports, with a store of its own.
"""
import argparse, asyncio, json, os, re, shutil, socket, subprocess, sys, tempfile, time, urllib.request

from mcp.client import Client

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--loom", required=True)
options = arguments.parse_args()
folder = tempfile.mkdtemp(prefix="loom-assistant-")
store = folder + "/store"
root = os.path.dirname(os.path.abspath(options.loom)) + "/loom-cli/src/test/resources/"
failed = False

TRACE = "5b8efff798038103d269b633813fc60c"
# each tool: its arguments, and the command that asks the same
QUESTIONS = [
    ("sources", {}, ["sources"]),
    ("fields", {"source": "requests"}, ["fields", "requests"]),
    ("fields", {"source": "otlp.logs"}, ["fields", "otlp.logs"]),
    ("scan", {"source": "requests", "where": ["latency_ns > 200us", "op == 'GET'"], "time": "event"},
     ["scan", "requests", "--where", "latency_ns > 200us", "--where", "op == 'GET'", "--time", "event", "--limit", "20"]),
    ("search", {"source": "otlp.logs", "query": "refus*"}, ["search", "otlp.logs", "refus*", "--limit", "20"]),
    ("search", {"source": "otlp.logs", "query": "refused", "count": True, "step": "1h", "time": "event"},
     ["search", "otlp.logs", "refused", "--count", "--step", "1h", "--time", "event"]),
    ("agg", {"source": "requests", "field": "latency_ns", "percentile": ["50", "99.9"]},
     ["agg", "requests", "latency_ns", "--percentile", "50,99.9"]),
    ("agg", {"source": "requests", "field": "latency_ns", "by": ["op"], "percentile": ["99"], "order": "-p99"},
     ["agg", "requests", "latency_ns", "--by", "op", "--percentile", "99", "--order=-p99", "--limit", "20"]),
    ("values", {"source": "syscalls", "field": "syscall", "limit": 3}, ["values", "syscalls", "syscall", "--limit", "3"]),
    ("hist", {"source": "requests", "field": "latency_ns"}, ["hist", "requests", "latency_ns"]),
    ("top", {"source": "requests", "field": "latency_ns", "n": 3}, ["top", "requests", "latency_ns", "-n", "3"]),
    ("correlate", {"source": "requests", "field": "latency_ns", "above": "30ms", "with": "syscalls",
                   "overlap": ["latency_ns", "latency_ns"], "time": "event", "distinct": True},
     ["correlate", "requests", "latency_ns", "--above", "30ms", "--with", "syscalls", "--overlap", "latency_ns,latency_ns",
      "--time", "event", "--distinct", "--limit", "20"]),
    ("diff", {"source": "syscalls", "where": ["latency_ns > 10ms"]}, ["diff", "syscalls", "--where", "latency_ns > 10ms"]),
    ("traces", {"error": True}, ["traces", "--error", "--limit", "20"]),
    ("trace", {"trace_id": TRACE}, ["trace", TRACE, "--rows"]),
    ("metrics", {"source": "otlp.metrics"}, ["metrics", "otlp.metrics"]),
    ("series", {"source": "otlp.metrics", "name": "queue.length"}, ["series", "otlp.metrics", "queue.length"]),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def loom(*command):
    return subprocess.run([options.loom, *command, "--dir", store], check=True, capture_output=True, text=True).stdout


def post(port, path, body):
    urllib.request.urlopen(urllib.request.Request(
        "http://localhost:%d%s" % (port, path), json.dumps(body).encode(), {"Content-Type": "application/json"})).read()


def fill():
    for source in ("requests", "syscalls"):
        loom("import", "--source", source, "--format", "csv", "--event-time", "ts_ns", "--clock-pair", root + "redis/clock.json",
             root + "redis/%s.csv" % source)
    loom("import", "--source", "shop", "--format", "csv", "--event-time", "end", root + "trace/spans.csv")


def send(port):
    texts = ["connection refused", "accepted", "refused again"]
    post(port, "/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [
        {"timeUnixNano": str(1795229196000000000 + i), "severityText": "warn", "body": {"stringValue": text},
         "attributes": [{"key": "peer", "value": {"intValue": str(i)}}]} for i, text in enumerate(texts)]}]}]})
    post(port, "/v1/metrics", {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "queue.length", "gauge": {"dataPoints": [
        {"timeUnixNano": str(1795229196000000000 + i), "asInt": str(i)} for i in range(3)]}}]}]}]})


def compare(tool, what, expected, found):
    global failed
    same = expected == found
    failed |= not same
    print("%-4s %-10s %s" % ("ok" if same else "FAIL", tool, what))
    if not same:
        print("  the command: %s\n  the tool:    %s" % (expected, found))


async def ask(url, mode):
    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        print("%s: protocol %s, %d tools" % (mode, client.protocol_version, len(tools)))
        compare("list", "every tool is asked", sorted(tool.name for tool in tools), sorted({tool for tool, _, _ in QUESTIONS}))
        for tool, members, command in QUESTIONS:
            answer = await client.call_tool(tool, members)
            found = answer.structured_content
            if answer.is_error:
                compare(tool, json.dumps(members), "an answer", answer.content[0].text)
                continue
            compare(tool, "text and structure", json.loads(answer.content[0].text), found)
            expected = [json.loads(line) for line in loom(*command, "-o", "json").splitlines()]
            compare(tool, json.dumps(members), expected, found["rows"])
            compare(tool, "end", [True, 0], [found["end"]["complete"], found["end"]["lost"]])
        for members in ({}, {"source": "nothing"}, {"source": "requests", "where": ["latency_ns >"]}, {"source": "requests", "x": 1}):
            answer = await client.call_tool("scan", members)
            compare("scan", "refused: " + answer.content[0].text[:80], True, answer.is_error)


def main():
    fill()
    http, otlp = free_port(), free_port()
    sidecar = subprocess.Popen([options.loom, "serve", "--dir", store, "--http", "localhost:%d" % http,
                                "--otlp-http", "localhost:%d" % otlp], stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("localhost", http)) == 0:
                    break
            time.sleep(0.1)
        send(otlp)
        for mode in ("auto", "legacy"):
            asyncio.run(ask("http://localhost:%d/mcp" % http, mode))
    finally:
        sidecar.terminate()
        sidecar.wait()
        shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


main()
