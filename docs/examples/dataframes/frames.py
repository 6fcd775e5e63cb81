"""
Asks a Loom sidecar for DataFrames, and compares each value with the JSON lines.

  frames.py --loom ./loom

Needs pyarrow, pandas, polars and duckdb (requirements.txt). Starts a sidecar on a free port with a store of its own, and imports the
requests, system calls and packets of a Redis server that are part of the project, and random values of each type. --seed chooses these.
"""
import argparse, base64, http.client, io, json, math, os, random, shutil, signal, socket, struct, subprocess, tempfile, time

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.ipc

ARROW = "application/vnd.apache.arrow.stream"
RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../loom-cli/src/test/resources/redis")


class Sidecar:
    """The API of a sidecar."""

    def __init__(self, host, port):
        self.host, self.port = host, port

    def post(self, name, request, accept):
        """An answer as a stream. http.client raises IncompleteRead if it was broken off."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request("POST", "/v1/" + name, json.dumps(request), {"Content-Type": "application/json", "Accept": accept})
        response = connection.getresponse()
        if response.status != 200:
            raise RuntimeError("%d: %s" % (response.status, response.read().decode()))
        return response

    def arrow(self, name, **request):
        """An answer as a table of pyarrow, and its outcome. Batches are read as they arrive."""
        reader = pyarrow.ipc.open_stream(self.post(name, request, ARROW))
        batches, outcome = [], None
        for batch, metadata in reader.iter_batches_with_custom_metadata():
            batches.append(batch)
            if metadata is not None:
                outcome = {key.decode().removeprefix("loom."): json.loads(value) for key, value in metadata.items()}
        if outcome is None:
            raise RuntimeError("the answer was broken off")
        return pyarrow.Table.from_batches(batches, reader.schema), outcome

    def lines(self, name, **request):
        """The same answer as rows, and its outcome."""
        rows = [json.loads(line) for line in self.post(name, request, "application/jsonl") if line.strip()]
        return rows[:-1], rows[-1]["end"]


def ns(value):
    """A timestamp as epoch nanoseconds."""
    return value.value if isinstance(value, pandas.Timestamp) else value


def same(left, right):
    """Whether a value of a table is that of a JSON line."""
    left = ns(left)
    if isinstance(left, bytes):
        left = base64.b64encode(left).decode()
    if isinstance(left, float) and isinstance(right, str):
        return repr(left) in (right, "nan" if right == "NaN" else right)
    return left == right


def check_records(sidecar, name, **request):
    """Records by pyarrow, pandas, polars, DuckDB and CSV, against JSON lines."""
    table, outcome = sidecar.arrow(name, **request)
    rows, end = sidecar.lines(name, **request)
    members = ("complete", "lost", "damaged_pages", "expired", "limit")
    assert [outcome[key] for key in members] == [end[key] for key in members], (outcome, end)
    fields = list(rows[0]["fields"])
    own = {"time", "addr", "cause"}
    columns = [("fields." + field if field in own else field) for field in fields]
    assert table.num_rows == len(rows), (table.num_rows, len(rows))
    assert table["time"].cast(pyarrow.int64()).to_pylist() == [row["ts"] for row in rows]
    assert table["addr"].to_pylist() == [row["addr"] for row in rows]
    compared = 0
    for column, field in zip(columns, fields):
        expected = [row["fields"][field] for row in rows]
        read = {
            "pyarrow": table[column].to_pylist(),
            "polars": polars.from_arrow(table)[column].to_list(),
            "duckdb": [value for value, in duckdb.sql('select "%s" from "table"' % column).fetchall()],
        }
        for reader, values in read.items():
            for value, wanted in zip(values, expected):
                assert same(value, wanted), (reader, column, value, wanted)
                compared += 1
        if isinstance(expected[0], int):
            assert table.to_pandas()[column].tolist() == expected, column
            compared += len(expected)
    csv = pandas.read_csv(sidecar.post(name, request, "text/csv"), dtype=str, keep_default_na=False)
    assert csv["ts"].astype("int64").tolist() == [row["ts"] for row in rows]
    for field in fields:
        if isinstance(rows[0]["fields"][field], int):
            column = "fields." + field if field in own | {"ts", "source"} else field
            assert csv[column].astype("int64").tolist() == [row["fields"][field] for row in rows], field
            compared += len(rows)
    print("%s %s: %d records, %d values are those of the JSON lines" % (name, request["source"], len(rows), compared))


def check_rows(sidecar):
    """Answers that are rows: polars computes from the records what Loom answers."""
    records, _ = sidecar.arrow("scan", source="requests")
    frame = polars.from_arrow(records)
    groups, outcome = sidecar.arrow("agg", source="requests", field="latency_ns", by="op", percentile=["50", "99"])
    assert outcome["complete"] and outcome["lost"] == 0
    for group in groups.to_pylist():
        values = sorted(frame.filter(polars.col("op") == group["op"])["latency_ns"].to_list())
        assert (group["count"], group["sum"], group["min"], group["max"]) == (len(values), sum(values), values[0], values[-1])
        assert math.isclose(group["mean"], sum(values) / len(values))
        for percent in (50, 99):
            assert group["p%d" % percent] == values[math.ceil(percent / 100 * len(values)) - 1], (group, percent)
    bins, _ = sidecar.arrow("hist", source="requests", field="latency_ns", by=["time", "value"])
    assert sum(bins["count"].to_pylist()) == frame.height
    assert bins.schema.field("from").type == pyarrow.timestamp("ns", "UTC")
    nothing, outcome = sidecar.arrow("scan", source="requests", where="latency_ns < 0")
    assert nothing.num_rows == 0 and nothing.schema.names == records.schema.names and outcome["complete"]
    print("agg and hist: polars computes the same from %d records" % frame.height)


TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool", "utf8", "bytes"]
TEXTS = ["", "a", "with \"quotes\", and\nlines", "\u00e9\U0001f600\u202e", " ", "x" * 3000]


def random_value(kind, chance):
    """A value of a type, often an extreme one; a fifth are missing."""
    if chance.random() < 0.2:
        return None
    if kind[0] in "iu" and kind[1].isdigit():
        bits = int(kind[1:])
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
        return chance.choice([low, high, 0, chance.randint(low, high)])
    if kind[0] == "f":
        value = chance.choice([math.nan, math.inf, -math.inf, -0.0, chance.gauss(0, 1), chance.gauss(0, 1e30)])
        return struct.unpack("f", struct.pack("f", value))[0] if kind == "f32" else value
    if kind == "bool":
        return chance.random() < 0.5
    return chance.choice(TEXTS) if kind == "utf8" else chance.randbytes(chance.randrange(30))


def cell(value):
    """A value as the import of CSV takes it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))
    if isinstance(value, bytes):
        return '"%s"' % base64.b64encode(value).decode()
    return '"%s"' % value.replace('"', '""') if isinstance(value, str) else str(value).lower()


def random_rows(seed, count):
    chance = random.Random(seed)
    rows = [[random_value(kind, chance) for kind in TYPES] for _ in range(count)]
    rows[count // 2][TYPES.index("utf8")] = "\u00e9" * (1 << 20)  # longer than a batch
    return rows


def check_types(sidecar, rows, seed):
    """Every value of every type as pyarrow, polars and DuckDB read it, against what was imported."""
    table, _ = sidecar.arrow("scan", source="random", asc=True)
    assert len(table.to_batches()) > 3, "all rows in one batch"
    names = {"f": "float", "u": "uint", "i": "int"}
    for column, kind in enumerate(TYPES):
        bits = kind[1:]
        arrow = names[kind[0]] + bits if bits.isdigit() else kind
        assert str(table.schema.field(kind).type) == {"float32": "float", "float64": "double", "utf8": "string", "bytes": "binary"}.get(arrow, arrow)
        expected = [row[column] for row in rows]
        for reader, values in {
            "pyarrow": table[kind].to_pylist(),
            "polars": polars.from_arrow(table)[kind].to_list(),
            "duckdb": [value for value, in duckdb.sql('select "%s" from "table"' % kind).fetchall()],
        }.items():
            assert [repr(value) for value in values] == [repr(value) for value in expected], "seed=%d, %s, %s" % (seed, reader, kind)
    print("random: %d rows of %d types in %d batches are what was imported, seed=%d" % (len(rows), len(TYPES), len(table.to_batches()), seed))


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--loom", required=True)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    options = arguments.parse_args()
    folder = tempfile.mkdtemp(prefix="loom-frames-")
    store, port = os.path.join(folder, "store"), free_port()

    def loom(*command):
        return subprocess.run([options.loom, *command], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    try:
        for source in ("requests", "syscalls"):
            loom("import", "--dir", store, "--source", source, "--format", "csv", "--event-time", "ts_ns",
                 "--clock-pair", os.path.join(RECORDED, "clock.json"), os.path.join(RECORDED, source + ".csv"))
        loom("import", "--dir", store, "--source", "packets", "--format", "pcap", os.path.join(RECORDED, "packets.pcap"))
        rows = random_rows(options.seed, 20_000)
        random_csv = os.path.join(folder, "random.csv")
        with open(random_csv, "w", newline="") as file:
            file.write(",".join(TYPES) + "\n" + "".join(",".join(map(cell, row)) + "\n" for row in rows))
        loom("import", "--dir", store, "--source", "random", "--format", "csv",
             "--types", ",".join("%s:%s?" % (kind, kind) for kind in TYPES), random_csv)
        command = loom("scan", "--dir", store, "requests", "-o", "arrow")
        serve = subprocess.Popen([options.loom, "serve", "--dir", store, "--http", "localhost:%d" % port], stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                with socket.socket() as probe:
                    if probe.connect_ex(("localhost", port)) == 0:
                        break
                time.sleep(0.1)
            sidecar = Sidecar("localhost", port)
            for source in ("requests", "syscalls", "packets"):
                check_records(sidecar, "scan", source=source)
            check_records(sidecar, "top", source="requests", field="latency_ns", n=20)
            check_records(sidecar, "correlate", source="requests", field="latency_ns", above="20ms", time="event",
                          overlap=["latency_ns", "latency_ns"], **{"with": "syscalls"})
            check_rows(sidecar)
            check_types(sidecar, rows, options.seed)
            served, _ = sidecar.arrow("scan", source="requests")
            assert pyarrow.ipc.open_stream(io.BytesIO(command)).read_all().equals(served)
            assert polars.read_ipc_stream(io.BytesIO(command)).equals(polars.from_arrow(served))
            print("loom scan -o arrow: the same table")
        finally:
            serve.send_signal(signal.SIGTERM)
            serve.wait(20)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
