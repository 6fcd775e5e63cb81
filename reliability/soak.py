"""The soak: a sidecar that runs for long under load and faults, whose memory, descriptors, threads, disk and queries stay as they are."""
import contextlib
import os
import signal
import socket
import statistics
import struct
import threading
import time

import loom
from faults import MIB, fill, mount, unmount
from oracle import require

BUDGET = 64 * MIB
RECORD = struct.Struct("<qqqq")
BATCH = 1_000
LOOK_S = 5  # between looks at the process
ASKED = 5_000  # newest records that each query reads, and that are compared
KINDS = {"resident MiB": "process_resident_memory_bytes", "direct MiB": "jvm_buffer_pool_used_bytes{pool=\"direct\"",
         "descriptors": "process_open_fds", "threads": "jvm_threads_current"}


def check_of(seed, sequence):
    return (sequence * 0x9E3779B97F4A7C15 + seed) % (1 << 62)


class Load(threading.Thread):
    """Pushes numbered records at a rate, over all lives of the sidecar."""

    def __init__(self, seed, rate):
        super().__init__(daemon=True)
        self.seed, self.rate = seed, rate
        self.acknowledged = self.sent = 0
        self.port, self.stopped, self.paused = None, threading.Event(), threading.Event()
        self.failure = None

    def run(self):
        while not self.stopped.is_set():
            port = self.port
            if port is None:
                self.paused.set()
                self.stopped.wait(0.01)
                continue
            self.paused.clear()
            with contextlib.suppress(OSError, EOFError):  # the sidecar was killed
                self._push(port)
            if self.port == port:
                self.port = None

    def _push(self, port):
        with socket.create_connection(("127.0.0.1", port), timeout=loom.DEADLINE_S) as connection:
            client = loom.RawClient(port, None, 0, None)
            client.file = connection.makefile("rwb")
            client.call(loom.HELLO, b'{"protocol":1,"token":""}')
            kind, body = client.call(loom.SCHEMA, b'{"op":"define-source","name":"soak","format":"struct:seq:i64,check:i64,a:i64,b:i64"}')
            if kind == loom.REFUSED:
                self.stopped.wait(0.05)  # not open for writing yet
                return
            source = loom.source_id(body)
            due = time.monotonic()
            while not self.stopped.is_set() and self.port == port:
                first = self.acknowledged
                records = b"".join(RECORD.pack(i, check_of(self.seed, i), 0, 0) for i in range(first, first + BATCH))
                self.sent = first + BATCH
                kind, answer = client.call(loom.BATCH, struct.pack("<HHI", source, 0, BATCH) + struct.pack("<I", RECORD.size) * BATCH + records)
                taken, _ = struct.unpack_from("<II", answer)
                if kind == loom.REFUSED:
                    self.failure = f"refused: {answer[8:].decode(errors='replace')}"
                    return
                self.acknowledged += taken
                due = max(due + taken / self.rate, time.monotonic() - 1)
                self.stopped.wait(max(0.0, due - time.monotonic()))

    def pause(self):
        self.port = None
        require(self.paused.wait(loom.DEADLINE_S), "the raw port hangs")


class Watch:
    """What a sidecar takes, and how long its queries last, look by look."""

    def __init__(self, cycle, load):
        self.cycle, self.load = cycle, load
        self.looks = []
        self.queries = []
        self.disk_max = 0

    def disk(self):
        used = 0
        for folder, _, files in os.walk(self.cycle.store):
            for name in files:
                with contextlib.suppress(OSError):
                    used += os.stat(os.path.join(folder, name)).st_blocks * 512
        self.disk_max = max(self.disk_max, used)
        require(used <= BUDGET, lambda: f"above the budget: disk={used}, budget={BUDGET}")

    def look(self, sidecar, life):
        text = sidecar.metrics().splitlines()
        taken = {kind: sum(float(line.rsplit(" ", 1)[1]) for line in text if line.startswith(name)) for kind, name in KINDS.items()}
        for kind in ("resident MiB", "direct MiB"):
            taken[kind] /= MIB
        self.looks.append((time.monotonic(), life, taken))

    def query(self, sidecar):
        """The newest records, whole and in order; its time counts."""
        known = self.load.acknowledged
        began = time.monotonic()
        records, _ = sidecar.ask("scan", {"source": "soak", "limit": ASKED})
        self.queries.append((began, time.monotonic() - began))
        sequences = [record["fields"]["seq"] for record in reversed(records)]
        for record in records:
            fields = record["fields"]
            require(fields["check"] == check_of(self.load.seed, fields["seq"]), lambda: f"torn or invented: {record}")
        require(sequences == list(range(sequences[0], sequences[0] + len(sequences))), "hole, or doubled")
        require(sequences[-1] + 1 >= known, lambda: f"lost: last={sequences[-1]}, acknowledged={known}")
        self.cycle.checked += len(records)

    def slope(self, kind):
        """The growth an hour of what a process took, by its longest life without the first third."""
        lives = {}
        for at, life, taken in self.looks:
            lives.setdefault(life, []).append((at, taken[kind]))
        longest = max(lives.values(), key=len)
        longest = longest[len(longest) // 3:]
        if len(longest) < 10:
            return None
        return statistics.linear_regression(*zip(*longest)).slope * 3600

    def report(self):
        figure = self.cycle.figure
        for kind in KINDS:
            figure(kind, round(max(taken[kind] for _, _, taken in self.looks), 1))
            slope = self.slope(kind)
            if slope is not None:
                figure(kind + " an hour", round(slope, 1))
        figure("disk MiB", round(self.disk_max / MIB, 1))
        quarter = max(1, len(self.queries) // 4)
        for name, part in (("first", self.queries[:quarter]), ("last", self.queries[-quarter:])):
            figure(f"ms a query, {name} quarter", round(statistics.median(seconds for _, seconds in part) * 1000, 1))


def soak(cycle):
    """Load, queries, retention and faults for as many minutes as the run has; most of them in one life of the sidecar."""
    disk = mount(cycle, "-t", "tmpfs", "-o", f"size={2 * BUDGET}", "tmpfs")
    cycle.open.callback(unmount, disk)
    cycle.store = os.path.join(disk, "store")
    cycle.settings = {"max_size": f"{BUDGET // MIB}MiB", "segment_mib": 4, "options": "-Xmx64m -XX:+UseSerialGC -XX:-UsePerfData"}
    load = Load(cycle.seed, cycle.rate)
    watch = Watch(cycle, load)
    filler = os.path.join(disk, "filler")
    ends = time.monotonic() + cycle.minutes * 60
    kill_at = time.monotonic() + cycle.minutes * 60 / 4  # one of the lives has three quarters
    fault_at = time.monotonic() + 20
    sidecar = cycle.start()
    sidecar.listening()
    life = 0
    load.start()
    load.port = sidecar.port("ingest")
    began = time.monotonic()
    while load.acknowledged < ASKED:
        require(time.monotonic() < began + loom.DEADLINE_S, "no progress")
        time.sleep(0.1)
    while time.monotonic() < ends:
        require(not load.failure, lambda: load.failure)
        watch.disk()
        watch.look(sidecar, life)
        watch.query(sidecar)
        if time.monotonic() > fault_at:
            fault_at = time.monotonic() + cycle.random.uniform(20, 60)
            disturb(cycle, sidecar, filler)
        if life == 0 and time.monotonic() > kill_at:
            sidecar.kill()
            cycle.faults += 1
            load.pause()
            life += 1
            sidecar = cycle.start()
            sidecar.listening()
            settle(cycle, load, sidecar)
            load.port = sidecar.port("ingest")
        time.sleep(LOOK_S)
    load.pause()
    settle(cycle, load, sidecar)
    watch.query(sidecar)
    watch.report()
    sidecar.signal(signal.SIGTERM)
    require(sidecar.wait() == 143, lambda: f"ended badly: err={sidecar.text()}")
    load.stopped.set()
    load.join(loom.DEADLINE_S)
    loom.verify(cycle.store)
    cycle.add("pushed", load.acknowledged)
    cycle.figure("records a second", round(load.acknowledged / (time.monotonic() - began)))


def settle(cycle, load, sidecar):
    """Nothing acknowledged is missing but what was deleted; goes on behind what the store has."""
    entry = sidecar.sources()["soak"]
    booked = entry["records"] + entry["lost"] + entry.get("deleted", 0)
    require(load.acknowledged <= booked <= load.sent,
            lambda: f"the ledger does not add up: source={entry}, acknowledged={load.acknowledged}, sent={load.sent}")
    require(entry["lost"] == 0, lambda: f"dropped although it should wait: source={entry}")
    load.acknowledged = load.sent = booked


def disturb(cycle, sidecar, filler):
    fault = cycle.random.choice(("full", "stop"))
    cycle.faults += 1
    if fault == "full":
        fill(filler)
        time.sleep(cycle.random.uniform(0.5, 4))
        os.unlink(filler)
    else:
        sidecar.signal(signal.SIGSTOP)
        time.sleep(cycle.random.uniform(0.1, 2))
        sidecar.signal(signal.SIGCONT)
