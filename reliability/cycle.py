"""The store of one cycle, its writers, and what must be true of them."""
import contextlib
import os
import random
import shutil
import signal
import time

import loom
from loom import Command, LogClient, RawClient, Sidecar
from oracle import Run, Stream, require

LIMITED = {"max_size": "8MiB"}  # the least; segments of 1 MiB are deleted all the time


class Cycle:
    """The store of one cycle, and what it must hold."""

    def __init__(self, directory, seed, sabotage=False, quick=False):
        self.directory, self.seed, self.random = directory, seed, random.Random(seed)
        self.sabotage, self.quick = sabotage, quick
        self.store = os.path.join(directory, "store")
        self.staging = os.path.join(directory, "staging")
        os.makedirs(self.staging)
        self.settings = {}
        self.faults = 0  # kills, cuts, full disks, races
        self.checked = 0  # records compared with the oracle
        self.figures = {}  # the largest of each
        self.minutes, self.rate, self.budget_mib, self.image = 5.0, 20_000, 320, None  # of a soak
        self.sums = {}
        self.open = contextlib.ExitStack()
        self.begins = {}

    def figure(self, name, value):
        self.figures[name] = max(value, self.figures.get(name, value))

    def add(self, name, value):
        self.sums[name] = self.sums.get(name, 0) + value

    def some(self, least, end):
        """How often: at random from the least on, below the end; a quick cycle does the least."""
        return least if self.quick else self.random.randrange(least, end)

    def fresh_random(self):
        """For a thread, so that what it draws changes nothing of what others do."""
        return random.Random(self.random.getrandbits(64))

    def start(self):
        # every other cycle also compresses whatever is durable
        compressed = {"compress_after": "0s", "compression_percent": 100} if self.seed % 2 else {}
        return self.open.enter_context(contextlib.closing(Sidecar(self.store, self.staging, **{**compressed, **self.settings})))

    def kill(self, process):
        process.kill()
        self.faults += 1
        if self.sabotage:
            self.forget()

    def forget(self):
        """Loses what is in memory, as when the machine loses its power."""
        shutil.rmtree(self.staging)
        os.makedirs(self.staging)

    def command(self):
        return Command(self.store)

    def contents(self, source, stream, decode=loom.payload, contiguous=True, reader=None, begin=None):
        """What the store has of a stream."""
        reader = reader or self.command()
        if begin is None:
            begin = reader.info()["record_begin"]
        payloads = map(decode, reader.scan(source, expired=begin > 0))
        found = (Run.contiguous if contiguous else Run.increasing)(stream, payloads)
        self.checked += found.count
        before = self.begins.get(source, 0)
        if contiguous:
            require(begin > 0 or found.first == 0,
                    f"hole: source={source}, first={found.first}, record_begin={begin}")
            require(found.count == 0 or found.first >= before,
                    f"deleted records are back: source={source}, first={found.first}, before={before}")
        self.begins[source] = max(before, found.first)
        return found


def line(record):
    return bytes.fromhex(record["fields"]["line"])


def body(record):
    return bytes.fromhex(record["fields"]["body"])


class Writers:
    """The clients of a sidecar over its lives: what they sent and what was acknowledged."""

    def __init__(self, cycle, streams=2, logs=True, **pace):
        self.cycle, self.pace = cycle, pace
        self.raw = [Stream(cycle.seed, number) for number in range(streams)]
        self.acknowledged = [0] * streams
        self.sent = [0] * streams
        self.log = Stream(cycle.seed, 100) if logs else None
        self.log_acknowledged = set()
        self.log_sent = 0
        self.clients = []

    def start(self, sidecar):
        self.clients = [RawClient(sidecar.port("ingest"), stream, self.acknowledged[i], self.cycle.fresh_random(), **self.pace)
                        for i, stream in enumerate(self.raw)]
        self.log_client = LogClient(sidecar.port("otlp-http"), self.log, self.log_sent) if self.log else None
        for client in [*self.clients, self.log_client]:
            if client:
                client.start()

    def total(self):
        return sum(client.acknowledged for client in self.clients)

    def await_progress(self, records=1):
        """Waits until every client has so many more records acknowledged."""
        goals = [client.acknowledged + records for client in self.clients]
        until = time.monotonic() + loom.DEADLINE_S
        while any(client.acknowledged < goal for client, goal in zip(self.clients, goals)) \
                or self.log_client and not self.log_client.acknowledged:
            for client in self.clients:
                require(client.is_alive() or client.acknowledged >= goals[0], lambda: f"a client ended: {client.failure}")
            require(time.monotonic() < until, "no progress")
            time.sleep(0.002)

    def require_alive(self):
        for client in [*self.clients, *([self.log_client] if self.log_client else [])]:
            require(client.is_alive(), lambda: f"a client was left: reason={client.failure}")

    def stop(self):
        clients, self.clients = self.clients, []
        for i, client in enumerate(clients):
            client.stop()
            self.acknowledged[i], self.sent[i] = client.acknowledged, max(self.sent[i], client.sent)
        if clients and self.log_client:
            self.log_client.stop()
            self.log_acknowledged |= self.log_client.acknowledged
            self.log_sent = self.log_client.sent

    def check(self, least=None, exact=False, reader=None):
        """All that was acknowledged is there, and nothing that was not sent. Continues where the store is."""
        cycle = self.cycle
        reader = reader or cycle.command()
        known = reader.sources()
        begin = reader.info()["record_begin"]
        for i, stream in enumerate(self.raw):
            name = f"raw-{i}"
            expected = self.acknowledged[i] if least is None else least[i]
            if name not in known:
                require(expected == 0, f"source lost: source={name}, records={expected}")
                self.acknowledged[i] = 0
                continue
            found = cycle.contents(name, stream, reader=reader, begin=begin)
            require(found.next >= expected, f"lost: source={name}, found={found.next}, acknowledged={expected}")
            require(found.next <= self.sent[i], f"invented: source={name}, found={found.next}, sent={self.sent[i]}")
            require(not exact or found.next == expected, f"not acknowledged, but there: source={name}, found={found.next}, acknowledged={expected}")
            require(known[name]["records"] == found.count and known[name]["lost"] == 0,
                    f"wrong statistics: source={known[name]}, found={found.count}")
            self.acknowledged[i] = found.next
        if self.log and "otlp.logs" in known:
            found = set()
            def payloads():
                for payload in map(body, reader.scan("otlp.logs", expired=True)):
                    found.add(self.log.sequence(payload))
                    yield payload
            begins = Run.increasing(self.log, payloads())
            cycle.checked += begins.count
            missing = {i for i in self.log_acknowledged - found if i >= begins.first}
            require(not missing, lambda: f"lost: source=otlp.logs, acknowledged={sorted(missing)[:10]}, count={len(missing)}")
            require(begins.next <= self.log_sent, "invented: source=otlp.logs")
            if begin == 0:
                require(not self.log_acknowledged - found, "lost: source=otlp.logs, at its begin")
        else:
            require(not self.log_acknowledged, f"source lost: source=otlp.logs, records={len(self.log_acknowledged)}")


def close(cycle, sidecar, writers, exact=True):
    """Ends a sidecar in order. Its store is whole then."""
    sidecar.signal(signal.SIGTERM)
    code = sidecar.wait()
    require(code == 143, lambda: f"ended badly: code={code}, err={sidecar.text()}")
    writers.stop()
    finish(cycle, writers, exact)


def finish(cycle, writers, exact=False):
    """The store of a writer that has ended."""
    writers.check(exact=exact)
    loom.verify(cycle.store)
    require(not os.listdir(cycle.staging), f"staging left: {os.listdir(cycle.staging)}")


def exists(cycle):
    """Whether the making of the store came to its end."""
    return os.path.exists(os.path.join(cycle.store, "loom.mark"))


def records(cycle, source):
    """How many records a source has had, deleted ones among them; None if there is no such source."""
    known = cycle.command().sources().get(source)
    return known and known["records"] + known.get("deleted", 0)


def durable_records(sidecar, writers):
    """How many records of each stream a power cut may no longer take."""
    durable = sidecar.info()["record_durable"]
    records = []
    for i, stream in enumerate(writers.raw):
        records += [(record["addr"], i, stream.sequence(loom.payload(record)))
                    for record in sidecar.scan(f"raw-{i}", expired=True)]
    records.sort()
    least = [0, 0]
    for (_, i, sequence), (end, _, _) in zip(records, records[1:]):
        if end <= durable:
            least[i] = sequence + 1
    return least
