"""ClickHouse, embedded by chdb, as a peer of dev.loom.bench.GroupsVersusPeers: the class PeerProcess has the protocol."""

import time

from clickhouse import QUERY_SETTINGS, ClickHouse, serve

COLUMNS = (
    "ts DateTime64(9), customer Int32, latency_ns Int64, status UInt16, "
    "region LowCardinality(String), service LowCardinality(String), route LowCardinality(String)"
)


class Requests(ClickHouse):
    table = "requests"

    def version(self):
        version, parts, size = self.rows(
            "SELECT arrayJoin([version(), toString(count()), toString(sum(bytes_on_disk))]) FROM system.parts "
            f"WHERE database = 'bench' AND table = '{self.table}' AND active"
        )
        return [f"ClickHouse {version} by chdb, MergeTree ordered by time, {COLUMNS}; parts {parts}, bytes {size}"]

    def load(self, file):
        names = ", ".join(column.split()[0] for column in COLUMNS.split(", "))
        return self.fill(COLUMNS, f"SELECT {names} FROM file('{file}', 'Parquet')")

    def open(self):
        self.rows(f"OPTIMIZE TABLE bench.{self.table} FINAL")  # how far merges have come differs from run to run
        self.stop_merges()
        self.rows("USE bench")
        return []

    def ask(self, threads, query):
        start, cpu = time.monotonic_ns(), time.process_time_ns()
        rows = self.rows(f"{query} SETTINGS {QUERY_SETTINGS}, max_threads = {threads}")
        elapsed, taken = time.monotonic_ns() - start, time.process_time_ns() - cpu
        cells = [cell for row in rows for cell in row.split("\t")]
        return [elapsed, taken, len(cells) // max(1, len(rows)), *cells]


if __name__ == "__main__":
    serve(Requests)
