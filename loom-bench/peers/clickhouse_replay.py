"""ClickHouse, embedded by chdb, as a sink of dev.loom.bench.Evaluation: the class PeerProcess has the protocol of what is asked.

The program is called with the directory of the database. Files with rows are announced on a connection of their own, which a thread and
a connection to the engine of its own serve, so that questions do not wait for inserts.
"""

import socket
import threading
import time

import chdb
import pyarrow
import pyarrow.compute
import pyarrow.ipc
from clickhouse import QUERY_SETTINGS, ClickHouse, serve

IDLE_CHECKS = 20


class Replayed(ClickHouse):
    def __init__(self, directory):
        super().__init__(directory)
        self.watching = 0
        self.inserting = chdb.connect(directory)
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.insert, daemon=True).start()

    def version(self):
        version = self.rows("SELECT version()")[0]
        return [
            f"ClickHouse {version} by chdb in a process of Python's, MergeTree ordered by time (system calls by call and time), "
            "a second's rows an insert, as RowBinary by a file in memory; a thread for inserts and one for questions"
        ]

    def port(self):
        return [self.server.getsockname()[1]]

    def database(self, name):
        """Tables and questions are of this one from now on."""
        self.rows(f"CREATE DATABASE IF NOT EXISTS {name}")
        self.rows(f"USE {name}")
        return []

    def drop(self, name):
        self.rows(f"DROP DATABASE {name} SYNC")
        return []

    def create(self, table, columns, order):
        self.rows(f"CREATE TABLE {table} ({columns}) ENGINE = MergeTree ORDER BY ({order})")
        return []

    def insert(self):
        connection, _ = self.server.accept()
        with connection, connection.makefile("rw") as lines:
            for line in lines:
                table, file, columns = line.rstrip("\n").split("\t")
                try:
                    self.inserting.query(f"INSERT INTO {table} SELECT * FROM file('{file}', 'RowBinary', '{columns}')")
                    answer = "ok"
                except Exception as failure:  # the other side ends the run, whatever it is
                    answer = "error\t" + " ".join(str(failure).split())
                print(answer, file=lines, flush=True)

    def ask(self, query):
        """All cells, row by row."""
        return [cell for row in self.rows(f"{query} SETTINGS {QUERY_SETTINGS}") for cell in row.split("\t")]

    def dump(self, query):
        """Fetches all columns, and returns how many rows there are and the sum of their numbers."""
        fetched = self.session.query(f"{query} SETTINGS {QUERY_SETTINGS}", "Arrow").bytes()
        numbers = pyarrow.ipc.open_file(fetched).read_all().column("number") if fetched else pyarrow.array([], "int64")
        return [len(numbers), pyarrow.compute.sum(numbers, min_count=0).as_py()]

    def idle(self):
        """Waits until no merge has run for two seconds, whose CPU time is not counted: it is that of asking."""
        idle = 0
        while idle < IDLE_CHECKS:
            if idle == 0:
                busy = time.process_time_ns()
            idle = 0 if int(self.rows("SELECT count() FROM system.merges")[0]) else idle + 1
            time.sleep(0.1)
        self.watching += time.process_time_ns() - busy
        return []

    def cpu(self):
        return [time.process_time_ns() - self.watching]


if __name__ == "__main__":
    serve(Replayed)
