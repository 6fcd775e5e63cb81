"""ClickHouse, embedded by chdb, as a peer of dev.loom.bench.SearchVersusPeers: the class PeerProcess has the protocol.
clickhouse_groups.py has another table and other questions.

The program is called with the directory of the database and the kind of index. One process takes the log in and answers all questions.
"""

import os
import shutil
import sys
import time

from chdb import session

LIMIT = 10
STEPS = 60
ID = slice(34, 50)
IDLE_CHECKS = 20
# what ESTELLE was measured against, and what the engine's documents advise since 26.2
INDEXES = {"bloom": "tokenbf_v1(32768, 3, 0) GRANULARITY 1", "text": "text(tokenizer = splitByNonAlpha)"}
THREADS = "max_threads = 1, max_insert_threads = 1"
QUERY_SETTINGS = "use_query_cache = 0, use_query_condition_cache = 0"
CACHES = ("MARK", "UNCOMPRESSED", "INDEX MARK", "INDEX UNCOMPRESSED", "PRIMARY INDEX", "QUERY CONDITION")


class ClickHouse:
    table = "logs"

    def __init__(self, directory, index="bloom"):
        self.session = session.Session(directory)
        self.index = INDEXES[index]
        self.step = 1

    def rows(self, query):
        return self.session.query(query, "TabSeparatedRaw").bytes().decode("ascii").splitlines()

    def version(self):
        version = self.rows("SELECT version()")[0]
        return [f"ClickHouse {version} by chdb, MergeTree ordered by time, LZ4, {self.index}, {QUERY_SETTINGS}, inserted by one thread"]

    def load(self, file):
        return self.fill(
            f"ts DateTime64(9) CODEC(LZ4), line String CODEC(LZ4), INDEX words line TYPE {self.index}",
            "SELECT CAST(substring(line, 1, 26) AS DateTime64(9)), line "
            f"FROM file('{file}', 'LineAsString', 'line String')",
        )

    def fill(self, columns, rows):
        self.rows("DROP DATABASE IF EXISTS bench SYNC")
        self.rows("CREATE DATABASE bench")
        self.rows(f"CREATE TABLE bench.{self.table} ({columns}) ENGINE = MergeTree ORDER BY ts")
        start, cpu = time.monotonic_ns(), time.process_time_ns()
        self.rows(f"INSERT INTO bench.{self.table} {rows} SETTINGS {THREADS}")
        accepted = time.process_time_ns() - cpu
        inserted = time.monotonic_ns() - start
        elapsed, taken = self.settle(start, cpu, inserted, accepted)
        return [elapsed, taken, accepted]

    def settle(self, start, cpu, elapsed, taken):
        """Waits until no merge has run for two seconds; returns the times up to the last one."""
        idle = IDLE_CHECKS
        while idle > 0:
            if int(self.rows("SELECT count() FROM system.merges")[0]):
                idle = IDLE_CHECKS + 1
            idle -= 1
            if idle == IDLE_CHECKS:
                elapsed = time.monotonic_ns() - start
                taken = time.process_time_ns() - cpu
            time.sleep(0.1)
        self.delete_merged_parts()
        return elapsed, taken

    def delete_merged_parts(self):
        """The engine does so after minutes: they are not what is stored."""
        self.stop_merges()
        old = self.rows(
            f"SELECT path FROM system.parts WHERE database = 'bench' AND table = '{self.table}' AND NOT active"
        )
        self.rows(f"DETACH TABLE bench.{self.table} SYNC")
        for part in old:
            shutil.rmtree(part, ignore_errors=True)
        self.rows(f"ATTACH TABLE bench.{self.table}")

    def stop_merges(self):
        self.rows(f"SYSTEM STOP MERGES bench.{self.table}")

    def open(self):
        self.stop_merges()
        seconds = "SELECT toUInt64(max(ts)) - toUInt64(min(ts)) FROM bench.logs"
        self.step = max(1, int(self.rows(seconds)[0]) // STEPS)
        return []

    def release(self):
        for cache in CACHES:
            self.rows(f"SYSTEM DROP {cache} CACHE")
        return []

    def cpu(self):
        return [time.process_time_ns()]

    def ask(self, threads, kind, *words):
        if kind == "PREFIX":
            condition = f"match(line, '(^|[^0-9A-Za-z_]){words[0]}')"
        else:
            condition = " AND ".join(f"hasToken(line, '{word}')" for word in words)
        settings = QUERY_SETTINGS + ("" if threads == "default" else f", max_threads = {threads}")
        if kind == "COUNT":
            query = (
                f"SELECT count(), toStartOfInterval(ts, INTERVAL {self.step} SECOND) AS time FROM bench.logs "
                f"WHERE {condition} GROUP BY time ORDER BY time SETTINGS {settings}"
            )
        else:
            query = f"SELECT line FROM bench.logs WHERE {condition} ORDER BY ts DESC LIMIT {LIMIT} SETTINGS {settings}"
        start = time.monotonic_ns()
        rows = self.rows(query)
        elapsed = time.monotonic_ns() - start
        if kind == "COUNT":
            return [elapsed, sum(int(row.split("\t")[0]) for row in rows), ""]
        return [elapsed, len(rows), ",".join(row[ID] for row in rows)]


def serve(engine_type):
    # what the engine itself prints must not come between the answers
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    engine = engine_type(*sys.argv[1:])
    for line in sys.stdin:
        command, *values = line.rstrip("\n").split("\t")
        try:
            answer = ["ok", *getattr(engine, command)(*values)]
        except Exception as failure:  # the other side ends the run, whatever it is
            answer = ["error", " ".join(str(failure).split())]
        print("\t".join(map(str, answer)), file=answers, flush=True)


if __name__ == "__main__":
    serve(ClickHouse)
