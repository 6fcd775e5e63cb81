"""The ledger: after a day of faults, squeezed into a minute, each source has offered = kept + dropped + deleted, exactly."""
import contextlib
import json
import os
import signal
import time

import loom
from faults import MIB, fill, mount, unmount
from loom import Import, LogClient, RawClient
from oracle import Run, Stream, require


class Account:
    """What was offered to one source, and what the store says became of it."""

    def __init__(self, source, stream, decode):
        self.source, self.stream, self.decode = source, stream, decode
        self.answered = 0  # records of which the sender knows that they are done with
        self.sent = 0
        self.in_doubt = 0  # records that were done with although their sender was never told
        self.kept = self.dropped = self.deleted = 0

    def settle(self, sources):
        """Books what the store has. Whoever writes the source is dead, or waits."""
        entry = sources.get(self.source, {})
        self.kept, self.dropped, self.deleted = (entry.get(name, 0) for name in ("records", "lost", "deleted"))
        booked = self.kept + self.dropped + self.deleted
        require(self.answered <= booked <= self.sent,
                lambda: f"the ledger does not add up: source={entry or self.source}, answered={self.answered}, sent={self.sent}")
        self.in_doubt += booked - self.answered
        self.answered = self.sent = booked

    def check(self, cycle, reader, expired):
        """What is kept is what was sent, in its order; what it lacks was dropped or deleted."""
        found = Run.increasing(self.stream, map(self.decode, reader.scan(self.source, expired=expired)))
        cycle.checked += found.count
        require(found.count == self.kept, lambda: f"wrong count: source={self.source}, found={found.count}, kept={self.kept}")
        require(found.next <= self.answered, lambda: f"invented: source={self.source}, next={found.next}, offered={self.answered}")
        if not self.deleted:
            require(self.answered - found.count == self.dropped, lambda: f"wrong holes: source={self.source}, dropped={self.dropped}")


class Books:
    """The accounts of one store over the lives of its writers."""

    def __init__(self, cycle, policy):
        self.cycle, self.policy = cycle, policy
        self.raw = [Account(f"raw-{i}", Stream(cycle.seed, i), loom.payload) for i in range(2)]
        self.log = Account("otlp.logs", Stream(cycle.seed, 100), lambda record: bytes.fromhex(record["fields"]["body"]))
        self.lines = Account("lines-200", Stream(cycle.seed, 200), lambda record: bytes.fromhex(record["fields"]["line"]))
        self.accounts = [*self.raw, self.log, self.lines]
        self.reasons = {}  # over all lives
        self.clients = []

    def start(self, sidecar):
        self.clients = [(account, RawClient(sidecar.port("ingest"), account.stream, account.answered, self.cycle.fresh_random(), 0.002))
                        for account in self.raw]
        self.clients.append((self.log, LogClient(sidecar.port("otlp-http"), self.log.stream, self.log.answered,
                                                 lambda: self._of_logs(sidecar))))
        for _, client in self.clients:
            client.start()

    def _of_logs(self, sidecar):
        """How many log records the store is done with."""
        entry = sidecar.sources().get("otlp.logs", {})
        return sum(entry.get(name, 0) for name in ("records", "lost", "deleted"))

    def stop(self):
        for account, client in self.clients:
            client.stop()
            account.answered = client.acknowledged if isinstance(client, RawClient) else client.answered
            account.sent = client.sent
        self.clients = []

    def answered(self):
        return [client.acknowledged if isinstance(client, RawClient) else client.answered for _, client in self.clients]

    def retries(self):
        return min(client.retries for _, client in self.clients[:2])

    def end_life(self, info):
        """Books the drops by reason of a writer that ends, or was killed. After that nothing is dropped any more."""
        for name, value in info.items():
            if name.startswith("lost_"):
                self.reasons[name[5:]] = self.reasons.get(name[5:], 0) + value

    def settle(self, reader):
        sources = reader.sources()
        for account in self.accounts:
            account.settle(sources)
        dropped = sum(account.dropped for account in self.accounts)
        require(sum(self.reasons.values()) == dropped,
                lambda: f"drops without a reason: by reason={self.reasons}, by source={dropped}")


def ledger(cycle):
    """Senders of all kinds under faults of all kinds; then the ledger adds up, by source and by reason."""
    random = cycle.random
    policy = random.choice(("wait", "drop-newest"))
    limited = random.random() < 0.5
    disk = mount(cycle, "-t", "tmpfs", "-o", "size=128m", "tmpfs")
    cycle.open.callback(unmount, disk)
    tiny = random.random() < 0.3
    staging = mount(cycle, "-t", "tmpfs", "-o", f"size={'30m' if tiny else '64m'}", "tmpfs", name="memory")
    cycle.open.callback(unmount, staging)
    cycle.store, cycle.staging = os.path.join(disk, "store"), staging
    # in a tiny staging, what the store would take by default has no room
    cycle.settings = {"policy": policy, "max_size": "8MiB" if limited else "1GiB", "record_ring_mib": None if tiny else 2}
    books = Books(cycle, policy)
    for life in range(random.randrange(3, 8)):
        room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        if room < 40 * MIB and not limited:
            break
        if life and random.random() < 0.3:
            live_import(cycle, books, disk)
        else:
            live_sidecar(cycle, books, disk, tiny, limited)
        books.settle(cycle.command())
    loom.run("source", "add", "end", "--format", "bytes", "--dir", cycle.store)
    books.settle(cycle.command())
    loom.verify(cycle.store)
    reader = cycle.command()
    expired = reader.info()["record_begin"] > 0
    known = reader.sources()
    for account in books.accounts:
        if account.source in known:
            account.check(cycle, reader, expired)
    for name, value in (("offered", "answered"), ("kept", "kept"), ("dropped", "dropped"), ("deleted", "deleted"), ("in doubt", "in_doubt")):
        cycle.add(name, sum(getattr(account, value) for account in books.accounts))
    for reason, records in books.reasons.items():
        cycle.add("dropped: " + reason, records)


def live_sidecar(cycle, books, disk, tiny, limited):
    random = cycle.random
    filler = os.path.join(disk, "filler")
    sidecar = cycle.start()
    sidecar.listening()
    if tiny:
        require(sidecar.metric("loom_store_staging_fallback") == 1, "the rings are smaller, and nothing says so")
    books.start(sidecar)
    for _ in range(random.randrange(1, 4)):
        fault = random.choice(("full", "full", "stop", "none"))
        time.sleep(random.uniform(0.1, 1))
        if fault == "stop":
            sidecar.signal(signal.SIGSTOP)
            time.sleep(random.uniform(0, 1))
            sidecar.signal(signal.SIGCONT)
            cycle.faults += 1
        elif fault == "full":
            before = pressure(books, sidecar)
            fill(filler)
            cycle.faults += 1
            if not limited:
                await_pressure(books, sidecar, before)
            time.sleep(random.uniform(0, 1))
            if random.random() < 0.3:
                break  # and ends while it is full
            empty(cycle, books, sidecar, filler)
    if random.random() < 0.6:
        sidecar.kill()
        cycle.faults += 1
        books.stop()
        books.end_life(cycle.command().info())
        if os.path.exists(filler):
            os.unlink(filler)
        return
    if os.path.exists(filler):
        empty(cycle, books, sidecar, filler)
    books.stop()
    books.end_life(sidecar.info())
    sidecar.signal(signal.SIGTERM)
    code = sidecar.wait()
    require(code == 143, lambda: f"ended badly: code={code}, err={sidecar.text()}")


def pressure(books, sidecar):
    """How often a full disk was felt: senders were asked to wait, or records dropped."""
    return books.retries() if books.policy == "wait" else sidecar.metric("loom_store_lost_records_total")


def await_pressure(books, sidecar, before):
    until = time.monotonic() + loom.DEADLINE_S
    while pressure(books, sidecar) < before + 3:
        require(time.monotonic() < until, "the disk is full, and nobody is told")
        time.sleep(0.02)
    require(sidecar.metric("loom_ready") == 0 and not sidecar.ready(), "the disk is full, and the sidecar is ready")
    require("error" in sidecar.info(), "the disk is full, and info does not say so")


def empty(cycle, books, sidecar, filler):
    """Makes room. All goes on within a moment."""
    os.unlink(filler)
    freed = time.monotonic()
    before = books.answered()
    while not all(now > then for now, then in zip(books.answered(), before)):
        require(time.monotonic() < freed + loom.DEADLINE_S, "does not go on")
        time.sleep(0.005)
    while sidecar.metric("loom_ready") != 1:
        require(time.monotonic() < freed + loom.DEADLINE_S, "never ready again")
        time.sleep(0.005)
    cycle.figure("s until ready", round(time.monotonic() - freed, 2))


def owners(cycle):
    """The pid of the store's writer; nobody while it changes."""
    done = loom.run("info", "--dir", cycle.store, "-o", "json", ok=(0, 3))
    return [] if done.returncode else [json.loads(done.stdout).get("owner_pid")]


def live_import(cycle, books, disk):
    """An embedded writer: an import, which may be killed."""
    random = cycle.random
    filler = os.path.join(disk, "filler")
    account = books.lines
    process = cycle.open.enter_context(contextlib.closing(
        Import(cycle.store, account.stream, account.answered, more=("--policy", books.policy))))
    process.feed(random.randrange(1, 3_000))
    until = time.monotonic() + loom.DEADLINE_S
    while process.pid not in owners(cycle):  # a full disk may refuse an opening
        require(time.monotonic() < until and process.alive(), lambda: f"import does not open: err={process.text()}")
    if random.random() < 0.6:
        time.sleep(random.uniform(0.3, 1.5))
        fill(filler)
        cycle.faults += 1
        process.feed(random.randrange(1_000, 6_000))
        time.sleep(random.uniform(0.5, 2))
        os.unlink(filler)
    killed = random.random() < 0.4
    if killed:
        process.kill()
        cycle.faults += 1
        process.feeder.join(loom.DEADLINE_S)
        books.end_life(cycle.command().info())
        account.sent = process.sent
        return
    process.end()
    code = process.wait()
    require(code in (0, 6), lambda: f"import failed: code={code}, err={process.text()}")
    account.sent = account.answered = process.sent
    # a closed store no longer knows its session; an import has one reason alone
    known = cycle.command().sources().get(account.source, {})
    books.reasons["store_full"] = books.reasons.get("store_full", 0) + known.get("lost", 0) - account.dropped
