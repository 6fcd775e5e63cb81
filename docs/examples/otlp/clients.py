"""
Sends records by real OTLP clients to a Loom sidecar, and looks whether it has them all, with all their fields.

  clients.py --loom ./loom [--telemetrygen telemetrygen] [--collector otelcol] [--records 1000]

Needs opentelemetry-exporter-otlp (PyPI). With --telemetrygen and --collector, those send too: the Collector between the Python
SDK and the sidecar, with each of its compressions. The sidecar is started by this script, on free ports, with a store of its own,
and a second time to send by gRPC over a Unix domain socket.
"""
import argparse, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc import _log_exporter as grpc_logs, metric_exporter as grpc_metrics, trace_exporter as grpc_spans
from opentelemetry.exporter.otlp.proto.http import _log_exporter as http_logs, metric_exporter as http_metrics, trace_exporter as http_spans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
import grpc

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--loom", required=True)
arguments.add_argument("--telemetrygen")
arguments.add_argument("--collector")
arguments.add_argument("--records", type=int, default=1000)
options = arguments.parse_args()
folder = tempfile.mkdtemp(prefix="loom-clients-")
failed = False


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def await_port(port):
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("localhost", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit("nothing listens at port %d" % port)


def loom(*command):
    return [json.loads(line) for line in subprocess.check_output(
        [options.loom, *command, "--dir", folder + "/store", "-o", "json"], stderr=subprocess.DEVNULL).splitlines()]


def start_sidecar(grpc_endpoint, http_port):
    sidecar = subprocess.Popen([options.loom, "serve", "--dir", folder + "/store", "--otlp-grpc", grpc_endpoint,
                                "--otlp-http", "localhost:%d" % http_port])
    await_port(http_port)
    return sidecar


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait()


def send(run, protocol, compression, endpoint):
    """Sends a number of logs, spans and values of a gauge by the Python SDK, each with its number."""
    resource = Resource({"service.name": run})
    if protocol == "grpc":
        how = {"endpoint": endpoint, "insecure": True,
               "compression": grpc.Compression.Gzip if compression == "gzip" else grpc.Compression.NoCompression}
        exporters = grpc_logs.OTLPLogExporter(**how), grpc_spans.OTLPSpanExporter(**how), grpc_metrics.OTLPMetricExporter(**how)
    else:
        how = {"compression": Compression.Gzip if compression == "gzip" else Compression.NoCompression}
        url = "http://%s/v1/" % endpoint
        exporters = (http_logs.OTLPLogExporter(url + "logs", **how), http_spans.OTLPSpanExporter(url + "traces", **how),
                     http_metrics.OTLPMetricExporter(url + "metrics", **how))
    logs = LoggerProvider(resource=resource)
    logs.add_log_record_processor(BatchLogRecordProcessor(exporters[0], max_queue_size=options.records + 512))
    logger = logs.get_logger("clients")
    spans = TracerProvider(resource=resource)
    spans.add_span_processor(BatchSpanProcessor(exporters[1], max_queue_size=options.records + 512))
    tracer = spans.get_tracer("clients")
    metrics = MeterProvider([PeriodicExportingMetricReader(exporters[2], 3_600_000)], resource=resource)
    gauge = metrics.get_meter("clients").create_gauge("numbers", "1")
    for i in range(options.records):
        logger.emit(LogRecord(timestamp=1_700_000_000_000_000_000 + i, severity_number=SeverityNumber.WARN, severity_text="WARN",
                              body="line %d" % i, attributes={"i": i, "half": i / 2, "even": i % 2 == 0, "list": [i, "x"]}))
        with tracer.start_as_current_span("span %d" % i, attributes={"i": i}) as span:
            span.add_event("event", {"i": i})
        gauge.set(i, {"i": i})
    for provider in logs, spans, metrics:
        provider.shutdown()


def check(run):
    """Compares what the store has of a run with what was sent, field by field."""
    global failed
    where = ["--where", 'service.name == "%s"' % run, "--asc"]
    logs, spans, points = (
        sorted(loom("scan", "otlp." + source, *where), key=lambda record: record["fields"]["attributes"]["i"])
        for source in ("logs", "spans", "metrics"))
    good = [len(records) for records in (logs, spans, points)] == [options.records] * 3
    for i in range(options.records if good else 0):
        log, span, point = logs[i]["fields"], spans[i]["fields"], points[i]["fields"]
        good &= log["body"] == "line %d" % i and log["time"] == 1_700_000_000_000_000_000 + i and log["severity"] == 13
        good &= log["attributes"] == {"i": i, "half": i / 2, "even": i % 2 == 0, "list": [i, "x"]}
        good &= log["resource"]["service.name"] == run and log["scope.name"] == "clients"
        good &= span["name"] == "span %d" % i and span["events"][0]["name"] == "event" and span["duration"] == span["end"] - span["start"]
        good &= bool(re.fullmatch("[0-9a-f]{32}", span["trace_id"])) and bool(re.fullmatch("[0-9a-f]{16}", span["span_id"]))
        good &= point["name"] == "numbers" and point["value"] == i and point["kind"] == "gauge"
    failed |= not good
    print("%-36s sent %d of each, found %d logs, %d spans, %d points: %s"
          % (run, options.records, len(logs), len(spans), len(points), "equal" if good else "DIFFERENT"), flush=True)


def through_collector(run, exporter, compression, endpoint):
    """The SDK to a Collector, and that to the sidecar."""
    receiver = free_port()
    endpoint = endpoint if exporter == "otlp" else "http://" + endpoint
    settings = {
        "receivers": {"otlp": {"protocols": {"grpc": {"endpoint": "localhost:%d" % receiver}}}},
        "exporters": {exporter: {"endpoint": endpoint, "compression": compression, "tls": {"insecure": True}}},
        "service": {"pipelines": {kind: {"receivers": ["otlp"], "exporters": [exporter]} for kind in ("logs", "traces", "metrics")},
                    "telemetry": {"metrics": {"level": "none"}}}}
    with open(folder + "/collector.json", "w") as file:
        json.dump(settings, file)
    with open(folder + "/collector.log", "w") as log:
        collector = subprocess.Popen([options.collector, "--config", folder + "/collector.json"], stdout=log, stderr=log)
    await_port(receiver)
    send(run, "grpc", "none", "localhost:%d" % receiver)
    stop(collector)


def by_telemetrygen(kind, protocol, endpoint):
    global failed
    run = "telemetrygen %s %s" % (kind, protocol)
    command = [options.telemetrygen, kind, "--otlp-insecure", "--otlp-endpoint", endpoint, "--rate", "0", "--batch=false",
               "--%s" % kind, str(options.records), "--service", run] + (["--otlp-http"] if protocol == "http" else [])
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    source = {"logs": "otlp.logs", "traces": "otlp.spans", "metrics": "otlp.metrics"}[kind]
    found = len(loom("scan", source, "--where", 'service.name == "%s"' % run))
    sent = options.records * (2 if kind == "traces" else 1)  # a trace of it has two spans
    failed |= found != sent
    print("%-36s sent %d, found %d" % (run, sent, found), flush=True)


def send_all(transport, ways):
    """By each client that there is, in each of some ways: a protocol and an endpoint."""
    for protocol, endpoint in ways:
        for compression in "none", "gzip":
            run = "python %s%s %s" % (protocol, transport, compression)
            send(run, protocol, compression, endpoint)
            check(run)
    for protocol, endpoint in ways if options.collector else ():
        exporter = {"grpc": "otlp", "http": "otlphttp"}[protocol]
        for compression in "none", "gzip", "zstd":
            run = "collector %s%s %s" % (exporter, transport, compression)
            through_collector(run, exporter, compression, endpoint)
            check(run)
    for protocol, endpoint in ways if options.telemetrygen else ():
        for kind in "logs", "traces", "metrics":
            by_telemetrygen(kind, protocol + transport, endpoint)


http_port = free_port()
grpc_endpoint, http_endpoint = "localhost:%d" % free_port(), "localhost:%d" % http_port
socket_endpoint = "unix://%s/socket" % folder  # gRPC takes unix:PATH as well, the Collector just this
sidecar = start_sidecar(grpc_endpoint, http_port)
try:
    send_all("", (("grpc", grpc_endpoint), ("http", http_endpoint)))
    stop(sidecar)
    sidecar = start_sidecar(socket_endpoint, http_port)
    send_all(" by socket", (("grpc", socket_endpoint),))
finally:
    stop(sidecar)
shutil.rmtree(folder)
sys.exit(1 if failed else 0)
