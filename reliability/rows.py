"""One cycle of each row: what is done to the store, and what must then be true of it. docs/reliability.md has the rows."""
import contextlib
import fcntl
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import kernel
import loom
from faults import MIB, fill, mount, mount_again, unmount
from ledger import ledger
from loom import Command, Import, LogClient, Process, RawClient, Sidecar
from oracle import Run, Stream, require
from soak import soak

FS_IOC_SHUTDOWN = 0x8004587D
LIMITED = {"max_size": "8MiB"}  # the least; segments of 1 MiB are deleted all the time


class Cycle:
    """The store of one cycle, and what it must hold."""

    def __init__(self, directory, seed, sabotage=False):
        self.directory, self.seed, self.random, self.sabotage = directory, seed, random.Random(seed), sabotage
        self.store = os.path.join(directory, "store")
        self.staging = os.path.join(directory, "staging")
        os.makedirs(self.staging)
        self.settings = {}
        self.faults = 0  # kills, cuts, full disks, races
        self.checked = 0  # records compared with the oracle
        self.figures = {}  # the largest of each
        self.minutes, self.rate = 5.0, 20_000  # of a soak
        self.sums = {}
        self.open = contextlib.ExitStack()
        self.begins = {}

    def figure(self, name, value):
        self.figures[name] = max(value, self.figures.get(name, value))

    def add(self, name, value):
        self.sums[name] = self.sums.get(name, 0) + value

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

    def __init__(self, cycle, streams=2, logs=True, pause_s=0.0):
        self.cycle, self.pause_s = cycle, pause_s
        self.raw = [Stream(cycle.seed, number) for number in range(streams)]
        self.acknowledged = [0] * streams
        self.sent = [0] * streams
        self.log = Stream(cycle.seed, 100) if logs else None
        self.log_acknowledged = set()
        self.log_sent = 0
        self.clients = []

    def start(self, sidecar):
        self.clients = [RawClient(sidecar.port("ingest"), stream, self.acknowledged[i], self.cycle.random, self.pause_s)
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
        while any(client.acknowledged < goal for client, goal in zip(self.clients, goals)):
            for client in self.clients:
                require(client.is_alive() or client.acknowledged >= goals[0], lambda: f"a client ended: {client.failure}")
            require(time.monotonic() < until, "no progress")
            time.sleep(0.002)

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


def r2(cycle):
    """The sidecar is killed while it starts, recovers, receives, and deletes its oldest segments."""
    if cycle.random.random() < 0.4:
        return r2_import(cycle)
    cycle.settings = LIMITED if cycle.random.random() < 0.5 else {}
    writers = Writers(cycle, pause_s=cycle.random.choice((0, 0.005) if cycle.settings else (0.005, 0.02, 0.05)))
    for _ in range(cycle.random.randrange(1, 9)):
        while cycle.random.random() < 0.4:
            starting = cycle.start()  # or recovering what the last one left
            time.sleep(cycle.random.uniform(0.1, 1.5))
            cycle.kill(starting)
        sidecar = cycle.start()
        sidecar.listening()
        writers.check(reader=sidecar)
        began = time.monotonic()
        writers.start(sidecar)
        if cycle.random.random() < 0.8:
            writers.await_progress()
        time.sleep(max(0.0, cycle.random.uniform(0.01, 1) - (time.monotonic() - began)))
        cycle.kill(sidecar)
        writers.stop()
        if cycle.random.random() < 0.3:
            writers.check()
        if cycle.random.random() < 0.1:
            loom.verify(cycle.store, repair=True)
            finish(cycle, writers)
    loom.run("source", "add", "end", "--format", "bytes", "--dir", cycle.store)
    finish(cycle, writers)


def exists(cycle):
    """Whether the making of the store came to its end."""
    return os.path.exists(os.path.join(cycle.store, "loom.mark"))


def r2_import(cycle):
    """An import from a pipe is killed. What another process has seen before is there."""
    stream = Stream(cycle.seed, 200)
    source = "lines-200"
    next = 0
    if cycle.random.random() < 0.5:
        cycle.settings = LIMITED  # which the store keeps
        sidecar = cycle.start()
        sidecar.listening()
        sidecar.signal(signal.SIGTERM)
        sidecar.wait()
    for _ in range(cycle.random.randrange(1, 5)):
        process = cycle.open.enter_context(contextlib.closing(Import(cycle.store, stream, next)))
        process.feed(cycle.random.choice((100, 5_000, 20_000)))
        time.sleep(cycle.random.uniform(0.2, 2))
        seen = records(cycle, source) if cycle.random.random() < 0.7 and exists(cycle) else 0
        require(process.alive(), lambda: f"import ended: err={process.text()}")
        process.kill()
        cycle.faults += 1
        if not exists(cycle) or records(cycle, source) is None:
            require(not seen and next == 0, f"source lost: seen={seen}, before={next}")
            continue
        found = cycle.contents(source, stream, line)
        require(found.next >= next and found.count >= (seen or 0) or cycle.settings, f"lost: found={found.next}, seen={seen}, before={next}")
        require(found.next <= process.sent, f"invented: found={found.next}, sent={process.sent}")
        next = found.next
        if cycle.random.random() < 0.5:
            loom.verify(cycle.store, repair=True)
    if exists(cycle):
        loom.verify(cycle.store, repair=True)
        loom.verify(cycle.store)
        require(not next or cycle.contents(source, stream, line).next == next, "lost by the recovery")


def records(cycle, source):
    """How many records a source has; None if there is no such source."""
    return cycle.command().sources().get(source, {}).get("records")


def r3(cycle):
    """The power is cut: the file system stops at once, and what was in memory is gone."""
    image = os.path.join(cycle.directory, "image")
    with open(image, "wb") as file:
        file.truncate(96 * MIB)
    data = cycle.random.choice(("ordered", "writeback"))
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
    disk = mount(cycle, "-o", f"loop,data={data}", image)
    mounted = cycle.open.enter_context(contextlib.ExitStack())
    mounted.callback(unmount, disk)
    cycle.store = os.path.join(disk, "store")
    cycle.settings = LIMITED if cycle.random.random() < 0.3 else {"max_size": "64MiB"}
    writers = Writers(cycle, logs=False, pause_s=cycle.random.choice((0.002, 0.01, 0.05)))
    sidecar = None
    for cut in range(cycle.random.randrange(2, 8)):
        started = sidecar is None
        sidecar = sidecar or cycle.start()
        durable, least = 0, [0, 0]
        if started and cut and cycle.random.random() < 0.5:
            time.sleep(cycle.random.uniform(0.1, 1))  # a cut during the recovery, too
            durable, least = None, list(writers.acknowledged)
        else:
            sidecar.listening()
            writers.start(sidecar)
            writers.await_progress()
            time.sleep(cycle.random.uniform(0.01, 1.5))
            least = durable_records(sidecar, writers)
            time.sleep(cycle.random.uniform(0, 0.3))
        descriptor = os.open(disk, os.O_RDONLY)
        fcntl.ioctl(descriptor, FS_IOC_SHUTDOWN, struct.pack("<I", cycle.random.choice((1, 2))))
        os.close(descriptor)
        cycle.faults += 1
        if durable is not None:
            time.sleep(cycle.random.uniform(0, 0.2))
            last = sidecar.info()
            durable = last["record_durable"]  # a sync that fails must not raise it
        sidecar.kill()
        sidecar = None
        writers.stop()
        acknowledged = sum(writers.acknowledged)
        cycle.forget()
        mounted.pop_all().close()
        mount_again(cycle, disk, "-o", f"loop,data={data}", image)
        mounted.callback(unmount, disk)
        if not os.path.exists(os.path.join(cycle.store, "loom.mark")):
            require(not durable and least == [0, 0], f"the store is gone: durable={durable}")
            continue
        reader = cycle.command()
        if cycle.random.random() < 0.6:  # recovered, instead of attached to
            reader = cycle.start()
            reader.listening()
        found = reader.info()
        require(durable is None or found["record_tail"] >= durable,
                f"lost below durable: tail={found['record_tail']}, durable={durable}")
        writers.check(least=least, reader=reader)
        if durable is not None:
            cycle.figure("acknowledged records lost above durable", acknowledged - sum(writers.acknowledged))
            cycle.figure("their bytes", last["record_tail"] - found["record_tail"])
        writers.sent = list(writers.acknowledged)
        if isinstance(reader, Sidecar):
            sidecar = reader
        elif cycle.random.random() < 0.3:
            loom.verify(cycle.store, repair=True)
            loom.verify(cycle.store)
            writers.check(exact=True)
    if sidecar:
        sidecar.kill()
    if exists(cycle):
        loom.verify(cycle.store, repair=True)
        loom.verify(cycle.store)
        writers.check(exact=True)


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


def r12(cycle):
    """The disk is full, at times when the sidecar starts, and then has room again."""
    if cycle.random.random() < 0.3:
        return r12_import(cycle)
    disk = mount(cycle, "-t", "tmpfs", "-o", "size=96m", "tmpfs")
    cycle.open.callback(unmount, disk)
    cycle.store = os.path.join(disk, "store")
    limited = cycle.random.random() < 0.3
    cycle.settings = LIMITED if limited else {"max_size": "1GiB"}
    filler = os.path.join(disk, "filler")
    writers = Writers(cycle, logs=False)
    sidecar = cycle.start()
    sidecar.listening()
    for _ in range(cycle.random.randrange(1, 13)):
        writers.pause_s = 0.002
        writers.start(sidecar)
        writers.await_progress()
        time.sleep(cycle.random.uniform(0.01, 0.5))
        fill(filler)
        cycle.faults += 1
        until = time.monotonic() + loom.DEADLINE_S
        if limited:
            writers.await_progress(1000)  # the oldest segments make room
        else:
            while not all(client.retries > 2 for client in writers.clients):
                require(time.monotonic() < until, "the disk is full, and the sidecar accepts all the same")
                time.sleep(0.01)
            require(not sidecar.ready(), "the disk is full, and the sidecar is ready")
        for i, client in enumerate(writers.clients):
            answer, end = sidecar.ask("agg", {"source": f"raw-{i}"})
            require(limited or answer[0]["count"] >= client.acknowledged - 300 and end["complete"],
                    f"no answer while the disk is full: {answer} {end}")
        if cycle.random.random() < 0.3:
            cycle.kill(sidecar)
            writers.stop()
            writers.check()
            sidecar = cycle.start()
            sidecar.listening()
            writers.start(sidecar)
        os.unlink(filler)
        freed = time.monotonic()
        writers.await_progress()
        cycle.figure("s until it resumes", round(time.monotonic() - freed, 2))
        while not sidecar.ready():
            require(time.monotonic() < freed + loom.DEADLINE_S, "never ready again")
            time.sleep(0.01)
        writers.stop()
        require(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize > 0 or limited, "disk too small for this cycle")
        if not limited and os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize < 16 * MIB:
            break
    close(cycle, sidecar, writers)


def r12_import(cycle):
    """An import that may drop records counts exactly those that are not in the store."""
    disk = mount(cycle, "-t", "tmpfs", "-o", "size=400m", "tmpfs")
    cycle.open.callback(unmount, disk)
    cycle.store = os.path.join(disk, "store")
    stream = Stream(cycle.seed, 200, scale=24)
    filler = os.path.join(disk, "filler")
    loom.run("source", "add", "first", "--format", "bytes", "--dir", cycle.store)
    loom.run("retain", "--dir", cycle.store, "--max-bytes", "none", "--min-free", "none")
    process = cycle.open.enter_context(
        contextlib.closing(Import(cycle.store, stream, more=("--policy", "drop-newest"))))
    process.feed(cycle.random.randrange(1, 500))
    if cycle.random.random() < 0.5:
        time.sleep(cycle.random.uniform(0, 1.5))
    fill(filler)
    cycle.faults += 1
    fed = process.sent + cycle.random.randrange(22_000, 26_000)  # more than the ring of 128 MiB holds
    process.feed(fed)
    until = time.monotonic() + loom.DEADLINE_S
    while process.sent < fed:
        require(time.monotonic() < until and process.alive(), lambda: f"import hangs or ended: sent={process.sent}, err={process.text()}")
        time.sleep(0.01)
    os.unlink(filler)
    process.feed(1_000)
    process.end()
    code = process.wait()
    said = process.text()
    imported, lost = (int((re.search(what + r" (\d+)", said) or (0, 0))[1]) for what in ("imported", "lost"))
    require(code in (0, 6) and imported, f"import failed: code={code}, err={said}")
    found = cycle.contents("lines-200", stream, line, contiguous=False)
    source = cycle.command().sources()["lines-200"]
    require(found.count == imported == source["records"], f"wrong count: found={found.count}, source={source}, said={said}")
    require(source["lost"] == lost and found.count + lost == process.sent,
            f"drops are wrong: sent={process.sent}, found={found.count}, source={source}, said={said}")
    cycle.figure("records dropped", lost)
    loom.verify(cycle.store)


def r21(cycle):
    """Several processes open one store at once by different names; one gets it."""
    disk = os.path.join(cycle.directory, "real")
    os.makedirs(disk)
    cycle.store = os.path.join(disk, "store")
    os.symlink(disk, os.path.join(cycle.directory, "link"))
    names = [cycle.store, os.path.join(cycle.directory, "link", "store"), os.path.relpath(cycle.store)]
    if os.geteuid() == 0:
        names.append(os.path.join(mount(cycle, "--bind", disk), "store"))
        cycle.open.callback(unmount, os.path.join(cycle.directory, "disk"))
    expected = {}
    for round in range(cycle.random.randrange(1, 4)):
        streams = [Stream(cycle.seed, 10 * round + i) for i in range(cycle.random.randrange(2, len(names) + 1))]
        cycle.random.shuffle(names)
        racers = []
        for name, stream in zip(names, streams):
            racers.append(cycle.open.enter_context(contextlib.closing(Import(name, stream))))
            racers[-1].feed(1)
            time.sleep(cycle.random.choice((0, 0, 0.05, 0.3)))
        cycle.faults += 1
        until = time.monotonic() + loom.DEADLINE_S
        while sum(racer.alive() for racer in racers) > 1:
            require(time.monotonic() < until, lambda: f"several own it: {[racer.text() for racer in racers]}")
            time.sleep(0.01)
        winners = [racer for racer in racers if racer.alive()]
        for racer in racers:
            if racer not in winners:
                require(racer.wait() == 3 and "pid=" in racer.text(), lambda: f"refused without its owner: {racer.text()}")
        require(winners, lambda: f"nobody owns it: {[racer.text() for racer in racers]}")
        winner = winners[0]
        while f"lines-{winner.stream.number}" not in loom.run("sources", "--dir", cycle.store, ok=(0, 3)).stdout:
            require(time.monotonic() < until, lambda: f"writes nothing: {winner.text()}")
        winner.feed(500)
        if cycle.random.random() < 0.5:
            winner.end()
            require(winner.wait() == 0, lambda: f"the owner failed: {winner.text()}")
            expected[winner.stream.number] = (winner.stream, winner.sent, winner.sent)
        else:
            winner.kill()
            expected[winner.stream.number] = (winner.stream, 1, winner.sent)
    loom.verify(cycle.store, repair=True)
    known = cycle.command().sources()
    require(set(known) == {f"lines-{number}" for number in expected}, f"a loser has written: {sorted(known)}")
    for number, (stream, least, most) in expected.items():
        found = cycle.contents(f"lines-{number}", stream, line)
        require(least <= found.count <= most, f"wrong count: found={found.count}, expected={least} to {most}")
    loom.verify(cycle.store)


def r22(cycle):
    """The owner is stopped for a while; nobody takes its store, readers still read, and it goes on."""
    writers = Writers(cycle, pause_s=0.005)
    sidecar = cycle.start()
    sidecar.listening()
    writers.start(sidecar)
    writers.await_progress()
    for _ in range(cycle.random.randrange(1, 4)):
        time.sleep(cycle.random.uniform(0, 0.5))
        sidecar.signal(signal.SIGSTOP)
        cycle.faults += 1
        thief = cycle.random.choice((
            ("source", "add", "stolen", "--format", "bytes"), ("verify", "--repair"), ("serve", "--ingest", "127.0.0.1:0")))
        refused = loom.run(*thief, "--dir", cycle.store, ok=(3,))
        require(f"pid={sidecar.pid}" in refused.stderr, f"refused without its owner: {refused.stderr}")
        for i, client in enumerate(writers.clients):
            acknowledged, sent = client.acknowledged, client.sent
            found = cycle.contents(f"raw-{i}", client.stream)
            require(acknowledged <= found.next <= max(sent, client.sent),
                    f"wrong while its owner is stopped: found={found.next}, acknowledged={acknowledged}, sent={sent}")
        time.sleep(cycle.random.uniform(0, 1.5))
        sidecar.signal(signal.SIGCONT)
        writers.await_progress(100)
    if cycle.random.random() < 0.5:
        sidecar.signal(signal.SIGSTOP)
        cycle.kill(sidecar)
        writers.stop()
        writers.check()
        loom.verify(cycle.store, repair=True)
        finish(cycle, writers)
    else:
        close(cycle, sidecar, writers)


def of_kernel(row):
    return lambda cycle: row(cycle, Writers(cycle, logs=False, pause_s=0.002), close)


ROWS = {
    "R2": (r2, "kill -9 of the sidecar and of imports", False),
    "R3": (r3, "power cut", True),
    "R12": (r12, "full disk, then room again", True),
    "R13": (of_kernel(kernel.r13), "files may not grow", False),
    "R17": (of_kernel(kernel.r17), "the store's directory or mount vanishes, then is back", True),
    "R18": (of_kernel(kernel.r18), "the disk does not answer for up to 30 s", True),
    "R21": (r21, "openers racing", False),
    "R23": (of_kernel(kernel.r23), "no descriptors", False),
    "R35": (of_kernel(kernel.r35), "planted links", False),
    "R36": (soak, "a soak; asked for by name alone", True),
    "ledger": (ledger, "a day of faults; offered = kept + dropped + deleted", True),
    "R22": (r22, "owner stopped, then continued", False),
}
