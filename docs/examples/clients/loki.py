#!/usr/bin/env python3
"""Asks a sidecar with logcli and with Grafana's Loki data source, and compares their answers with those of the loom command.

    python3 docs/examples/clients/loki.py --logs FOLDER [--logcli PROGRAM] [--grafana PROGRAM]

FOLDER has log files (*.log) whose lines begin with times. Without PROGRAM, logcli and grafana-loki/main.go are built from
their Go modules, which takes some minutes and Go 1.26. Everything is on this machine, and removed at the end. Exits with 1 if
an answer differs.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
LOKI = "github.com/grafana/loki/v3@v3.7.8"
GRAFANA = "github.com/grafana/grafana@v1.9.2-0.20230609164553-81d85ce8028d"
EVER = ["--from=1990-01-01T00:00:00Z", "--to=2030-01-01T00:00:00Z"]
NOW = "--now=2030-01-01T00:00:00Z"
SERVICES = {"cart": 40, "web": 60}


def run(*command, **options):
    ended = subprocess.run(command, capture_output=True, text=True, **options)
    if ended.returncode:
        sys.exit(f"{command[0]} {command[1]} failed: {ended.stderr[-1000:]}")
    return ended.stdout


def build(folder, module, package):
    """Builds a program in a module that repeats what another says of modules: Go takes replacements from the main module alone."""
    folder.mkdir(exist_ok=True)
    (folder / "go.mod").write_text("module client\n")
    named = json.loads(run("go", "mod", "download", "-json", module, cwd=folder))
    own = pathlib.Path(named["GoMod"]).read_text()
    kept = [line for line in re.findall(r"^(?:exclude|replace) .*$", own, re.M) if "=> ./" not in line]
    kept += re.findall(r"^require \(.*?^\)$", own, re.M | re.S)
    required = f"require {named['Path']} {named['Version']}"
    (folder / "go.mod").write_text("\n".join(["module client", "go 1.26", *kept, required, ""]))
    (folder / "go.sum").write_bytes((pathlib.Path(named["Dir"]) / "go.sum").read_bytes())
    run("go", "build", "-mod=mod", "-o", "client", package, cwd=folder)
    return folder / "client"


def build_grafana(folder):
    folder.mkdir()
    main = pathlib.Path(__file__).with_name("grafana-loki") / "main.go"
    (folder / "main.go").write_text(main.read_text())
    return build(folder, GRAFANA, ".")


class Sidecar:
    """A sidecar over a store of log files and OTLP logs."""

    def __init__(self, folder, logs):
        self.store = folder / "store"
        self.sources = []
        for file in sorted(logs.glob("*.log")):
            self.sources.append(file.stem.lower())
            self.loom("import", "--format", "lines", "--source", self.sources[-1], file)
        command = [ROOT / "loom", "serve", "--dir", self.store, "--otlp-http", "localhost:0", "--http", "localhost:0"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        addresses = {}
        while len(addresses) < 2:
            line = self.process.stderr.readline()
            assert line, "the sidecar has ended"
            found = re.match(r"loom: listening: (\S+) (\S+)", line)
            if found:
                addresses[found[1]] = found[2]
        self.otlp, self.http = addresses["otlp-http"], addresses["http"]

    def loom(self, *arguments):
        return run(ROOT / "loom", arguments[0], "--dir", self.store, *map(str, arguments[1:]))

    def rows(self, *arguments):
        return [json.loads(line) for line in self.loom(*arguments, "-o", "json").splitlines()]

    def send(self, service, texts):
        now = time.time_ns()
        records = [
            {
                "timeUnixNano": str(now + i),
                "severityNumber": 9 + 8 * (i % 2),
                "body": {"stringValue": text},
                "attributes": [{"key": "ms", "value": {"intValue": str(i)}}],
            }
            for i, text in enumerate(texts)
        ]
        resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
        body = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": records}]}]}
        request = urllib.request.Request(
            f"http://{self.otlp}/v1/logs", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        urllib.request.urlopen(request).close()

    def close(self):
        self.process.terminate()
        self.process.wait()


class Comparison:
    def __init__(self, logcli, grafana, sidecar):
        self.data_source = [grafana, f"http://{sidecar.http}"]
        self.command = [logcli, "--quiet", f"--addr=http://{sidecar.http}"]
        self.sidecar = sidecar
        self.failures = 0

    def ask(self, *arguments):
        return run(*self.command, *arguments)

    def instant(self, query):
        """The values of an instant query by the texts of its labels."""
        found = json.loads(self.ask("instant-query", query, NOW))
        return {",".join(each["metric"].values()): float(each["value"][1]) for each in found}

    def same(self, what, found, expected):
        equal = found == expected
        self.failures += not equal
        print(f"{'same' if equal else 'DIFFERENT'}  {what}")
        if not equal:
            print(f"  logcli: {str(found)[:400]}\n  loom:   {str(expected)[:400]}")

    def files(self):
        for source in self.sidecar.sources:
            for word in ("error", "INFO", "a"):
                where = f'line contains "{word}"'
                rows = self.sidecar.rows("scan", source, "--where", where, "--time", "event", "--asc")
                query = f'{{source="{source}"}} |= "{word}"'
                # batches would lose lines that are twice at one time: logcli takes the second for a repeat
                found = self.ask("query", query, *EVER, "--limit=5000", "--batch=5000", "--forward", "--output=raw")
                expected = [row["fields"]["line"] for row in rows]
                self.same(f"lines of {query}: {len(expected)}", found.split("\n")[:-1], expected)
                count = self.instant(f"sum(count_over_time({query} [40y]))")
                self.same(f"count of {query}", count, {"": float(len(rows))} if rows else {})

    def logs(self):
        rows = self.sidecar.rows("agg", "otlp.logs", "attr.ms", "--by", "service.name", "--percentile", "90")
        logs = '{source="otlp.logs"}'
        by = "by (service_name)"
        self.same(
            "quantile by service",
            self.instant(f"quantile_over_time(0.9, {logs} | unwrap attr_ms [40y]) {by}"),
            {row["by"]["service.name"]: float(row["percentiles"]["90"]) for row in rows},
        )
        self.same(
            "sum by service",
            self.instant(f"sum {by} (sum_over_time({logs} | unwrap attr_ms [40y]))"),
            {row["by"]["service.name"]: float(row["sum"]) for row in rows},
        )
        errors = self.sidecar.rows("agg", "otlp.logs", "--where", 'severity >= "ERROR"', "--by", "service.name")
        self.same(
            "errors by service",
            self.instant(f'sum {by} (count_over_time({{source="otlp.logs", level="error"}} [40y]))'),
            {row["by"]["service.name"]: float(row["count"]) for row in errors},
        )

    def lists(self):
        self.same("labels", self.ask("labels", *EVER).split(), ["level", "service_name", "source"])
        sources = sorted(row["name"] for row in self.sidecar.rows("sources") if row["records"])
        self.same("sources", self.ask("labels", "source", *EVER).split(), sources)
        self.same("services", self.ask("labels", "service_name", *EVER).split(), sorted(SERVICES))
        series = sorted(self.ask("series", '{service_name="cart"}', *EVER).splitlines())
        levels = [f'{{level="{level}", service_name="cart", source="otlp.logs"}}' for level in ("error", "info")]
        self.same("series", series, levels)
        entries = re.search(r"entries: (\d+)", self.ask("stats", '{source="otlp.logs"}', *EVER))
        self.same("stats", int(entries[1]), sum(SERVICES.values()))
        volume = json.loads(self.ask("volume", '{source=~".+"}', *EVER, "--limit=100"))
        self.same("volume", sorted(each["metric"]["source"] for each in volume), sources)

    def tail(self):
        command = [*self.command, "query", "--tail", '{source="otlp.logs"} |= "later"', "--output=raw"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        sent = []
        for i in range(3):
            time.sleep(1)  # logcli does not say when it follows
            sent.append(f"later {i}")
            self.sidecar.send("cart", [sent[-1]])
        found = [process.stdout.readline().rstrip("\n") for _ in sent]
        process.terminate()
        process.wait()
        self.same("tail", found, sent)

    def grafana(self):
        for source in self.sidecar.sources:
            rows = self.sidecar.rows("scan", source, "--time", "event", "--asc")
            # the last point is behind the last line, however long Grafana makes the steps
            first, last = rows[0]["ts"] // 10**9 - 1, rows[-1]["ts"] // 10**9 + 10 * 86_400
            lines = f'{{source="{source}"}} |= "a"'
            volume = f"sum by (level, detected_level) (count_over_time({lines} | drop __error__ [$__interval]))"
            answer = run(*self.data_source, str(first), str(last), lines, volume)
            frames = [json.loads(line) for line in answer.splitlines()]
            expected = sorted(row["fields"]["line"] for row in rows if "a" in row["fields"]["line"])
            names = [field["name"] for field in frames[0]["schema"]["fields"]]
            self.same(f"Grafana's lines of {lines}", sorted(frames[0]["data"]["values"][names.index("Line")]), expected)
            counted = sum(frames[1]["data"]["values"][1])
            self.same(f"Grafana's volume of {lines}", counted, len(expected))

    def refusal(self):
        asked = subprocess.run(
            [*self.command, "query", '{source="otlp.logs"} | line_format "x"'], capture_output=True, text=True
        )
        told = "parse error at line 1, col 24: not supported: line_format" in asked.stderr
        self.same("refusal", (asked.returncode != 0, told), (True, True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=pathlib.Path, required=True)
    parser.add_argument("--logcli", type=pathlib.Path)
    parser.add_argument("--grafana", type=pathlib.Path)
    options = parser.parse_args()
    os.environ.pop("LOKI_ADDR", None)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        logcli = options.logcli or build(folder / "logcli", LOKI, "github.com/grafana/loki/v3/cmd/logcli")
        grafana = options.grafana or build_grafana(folder / "grafana")
        sidecar = Sidecar(folder, options.logs)
        try:
            for service, count in SERVICES.items():
                sidecar.send(service, [f"{service} took {i} ms" for i in range(count)])
            comparison = Comparison(logcli, grafana, sidecar)
            comparison.files()
            comparison.grafana()
            comparison.logs()
            comparison.lists()
            comparison.tail()
            comparison.refusal()
        finally:
            sidecar.close()
        print(f"{comparison.failures} different")
        sys.exit(1 if comparison.failures else 0)


if __name__ == "__main__":
    main()
