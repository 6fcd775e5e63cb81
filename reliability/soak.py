"""The soak: a sidecar that runs for long under load and faults, whose memory, descriptors, threads, disk and queries stay as they are."""
import contextlib
import json
import os
import random
import signal
import socket
import statistics
import struct
import subprocess
import threading
import time

import loom
from faults import MIB, fill, mount, unmount
from oracle import require

RECORD = struct.Struct("<qqqq")
FORMAT = "struct:seq:i64,check:i64,latency_ns:i64,size:i64"
PERIOD = 4_096  # records, the most that a group may have
LOOK_S = 5  # between looks at the process
SAY_S = 600  # between lines that tell how it goes
WINDOW_S = 10  # of the percentile
ASKED = 5_000  # newest records that each query reads, and that are compared
LINES = 64  # records for each line of log
SEARCHED_S = 10  # in which a word is looked for
STALLED_S = 120  # without a newer record, at most
CONSTANT = ("descriptors", "threads")
KINDS = {"resident MiB": "process_resident_memory_bytes", "direct MiB": "jvm_buffer_pool_used_bytes{pool=\"direct\"",
         "descriptors": "process_open_fds", "threads": "jvm_threads_current"}
HEAP = range((4 << 30) - 64 * MIB, 4 << 30)  # where a heap of 64 MiB lies
RESIDENT = ("heap", "code", "rings", "other files", "anonymous")  # kinds of resident memory


def resident(pid):
    """What a process has in memory by kind, MiB."""
    kinds = dict.fromkeys(RESIDENT, 0)
    with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as mappings:
        for line in mappings:
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                path = words[5] if len(words) > 5 else ""
                start = int(words[0].split("-")[0], 16)
                kind = ("heap" if start in HEAP else "code" if "x" in words[1] and not path else "rings" if path.startswith("/dev/shm/") else
                        "other files" if path.startswith("/") else "anonymous")
            elif words[0] == "Rss:":
                kinds[kind] += int(words[1]) / 1024
    return kinds


class Sequence:
    """Numbered records with a check of each, made 4,096 at a time: large integers add a number to all records at once."""

    def __init__(self, seed):
        source = random.Random(seed)
        self.checks = [source.getrandbits(61) for _ in range(PERIOD)]
        self.latencies = [int(source.lognormvariate(11, 1)) for _ in range(PERIOD)]
        fields = [(i, self.check(i), self.latencies[i % PERIOD], source.randrange(1_000)) for i in range(PERIOD)]
        twice = fields + [(i + PERIOD, check + PERIOD, latency, size) for i, check, latency, size in fields]
        self.template = b"".join(RECORD.pack(*each) for each in twice)
        self.ones = int.from_bytes(RECORD.pack(1, 1, 0, 0) * PERIOD, "little")

    def check(self, number):
        return self.checks[number % PERIOD] + number

    def records(self, first):
        """The payloads of 4,096 records."""
        start = first % PERIOD * RECORD.size
        length = PERIOD * RECORD.size
        numbers = int.from_bytes(self.template[start:start + length], "little") + (first - first % PERIOD) * self.ones
        return numbers.to_bytes(length, "little")


def line(number):
    """A line of log, with a word that no other has."""
    return b"level=INFO request=q%d took %d us" % (number, number * 7919 % 100_000)


class Load(threading.Thread):
    """Pushes numbered records at a rate, and lines of log, over all lives of the sidecar."""

    def __init__(self, sequence, rate):
        super().__init__(daemon=True)
        self.sequence, self.rate = sequence, rate
        self.acknowledged = self.sent = 0
        self.lines_acknowledged = self.lines_sent = 0
        self.port, self.stopped, self.paused = None, threading.Event(), threading.Event()
        self.failure = self.ended = None

    def run(self):
        while not self.stopped.is_set():
            port = self.port
            if port is None:
                self.paused.set()
                self.stopped.wait(0.01)
                continue
            self.paused.clear()
            try:
                self._push(port)  # until it is told to end, or where the store is not open for writing yet: again
            except (OSError, EOFError) as e:  # the sidecar was killed, or has ended it
                self.ended = e
                if self.port == port:
                    self.port = None

    def _push(self, port):
        with socket.create_connection(("127.0.0.1", port), timeout=loom.DEADLINE_S) as connection:
            client = loom.RawClient(port, None, 0, None)
            client.file = connection.makefile("rwb")
            client.call(loom.HELLO, b'{"protocol":1,"token":""}')
            kind, body = self._define(client, {"op": "define-source", "name": "soak", "format": FORMAT})
            kind_of_lines, lines = self._define(client, {"op": "define-source", "name": "lines", "format": "text"})
            defined, _ = self._define(client, {"op": "define-index", "source": "soak", "field": "latency_ns", "bins": "log-linear", "backfill": False})
            if (kind, kind_of_lines, defined) != (loom.DONE,) * 3:
                self.stopped.wait(0.05)  # the store can't be written yet
                return
            lines = loom.source_id(lines)
            head = struct.pack("<HHI", loom.source_id(body), 0, PERIOD) + struct.pack("<I", RECORD.size) * PERIOD
            groups = max(1, min(16, self.rate // (PERIOD * 100)))
            due = time.monotonic()
            while not self.stopped.is_set() and self.port == port:
                first = self.acknowledged
                batch = b"".join(head + self.sequence.records(first + i * PERIOD) for i in range(groups))
                self.sent = first + groups * PERIOD
                taken = self._taken(client, batch)
                self.acknowledged += taken
                self._push_lines(client, lines, max(1, groups * PERIOD // LINES))
                due = max(due + taken / self.rate, time.monotonic() - 5)
                self.stopped.wait(max(0.0, due - time.monotonic()))

    def _push_lines(self, client, source, count):
        texts = [line(self.lines_acknowledged + i) for i in range(count)]
        self.lines_sent = self.lines_acknowledged + count
        lengths = struct.pack(f"<{count}I", *map(len, texts))
        self.lines_acknowledged += self._taken(client, struct.pack("<HHI", source, 0, count) + lengths + b"".join(texts))

    def _taken(self, client, batch):
        kind, answer = client.call(loom.BATCH, batch)
        if kind == loom.REFUSED:
            self.failure = f"refused: {answer[8:].decode(errors='replace')}"
            raise EOFError
        return struct.unpack_from("<II", answer)[0]

    @staticmethod
    def _define(client, operation):
        return client.call(loom.SCHEMA, json.dumps(operation).encode())

    def pause(self):
        self.port = None
        require(self.paused.wait(loom.DEADLINE_S), "the raw port hangs")


class Watch:
    """What a sidecar takes, and how long its queries last, look by look."""

    def __init__(self, cycle, load, budget):
        self.cycle, self.load, self.budget = cycle, load, budget
        self.looks = []
        self.queries = {"newest": [], "percentile": [], "search": []}
        self.disk_max = 0
        self.ended = threading.Event()
        self.lost = 0  # of all lives so far
        self.lost_before = 0  # in earlier runs
        self.newest, self.earlier, self.before, self.advanced = -1, 0, 0, time.monotonic()
        self.random = random.Random(cycle.seed)
        self.found = 0  # lines, by searches

    def disk(self):
        """Files change while they are counted: what is above the budget is counted again."""
        used = self._used()
        self.disk_max = max(self.disk_max, min(used, self._used()) if used > self.budget else used)

    def _used(self):
        """The newest files first: an old one that is deleted meanwhile is not counted beside what takes its room."""
        used = 0
        for folder, _, files in os.walk(self.cycle.store):
            for name in sorted(files, reverse=True):
                with contextlib.suppress(OSError):
                    used += os.stat(os.path.join(folder, name)).st_blocks * 512
        return used

    def look_at_disk(self):
        """Until it is told to end: what is above the budget may be so for a moment alone."""
        while not self.ended.wait(0.2):
            self.disk()

    def look(self, sidecar, life):
        text = sidecar.metrics().splitlines()
        taken = {kind: sum(float(line.rsplit(" ", 1)[1]) for line in text if line.startswith(name)) for kind, name in KINDS.items()}
        for kind in ("resident MiB", "direct MiB"):
            taken[kind] /= MIB
        taken.update((f"{kind} MiB", mib) for kind, mib in resident(sidecar.pid).items())
        self.looks.append((time.monotonic(), life, taken))

    def ask(self, sidecar):
        """The newest records, whole and in order; and a percentile of the last seconds. Their times count."""
        known = self.load.acknowledged
        before = sidecar.sources()["soak"]["lost"]
        records, _ = self._timed(sidecar, "newest", "scan", {"source": "soak", "limit": ASKED})
        numbers = [record["fields"]["seq"] for record in reversed(records)]
        for record in records:
            fields = record["fields"]
            require(fields["check"] == self.load.sequence.check(fields["seq"]), lambda: f"torn or invented: {record}")
        require(all(a < b for a, b in zip(numbers, numbers[1:])), "doubled, or out of order")
        lost = sidecar.sources()["soak"]["lost"]
        newer = numbers[-1] > self.newest
        since = lost - (self.before if newer else self.earlier)  # dropped since records as old as these were pushed
        holes = numbers[-1] + 1 - numbers[0] - len(numbers)
        require(numbers[0] <= self.newest or holes <= since, lambda: f"hole: missing={holes}, lost since={since}")
        require(numbers[-1] + 1 >= known - since, lambda: f"lost: last={numbers[-1]}, acknowledged={known}, lost since={since}")
        if newer:
            self.newest, self.advanced = numbers[-1], time.monotonic()
            self.earlier, self.before = self.before, before
        require(time.monotonic() - self.advanced < STALLED_S, "nothing is kept any more")
        self.lost = lost
        self.cycle.checked += len(records)
        self._search(sidecar)
        answers, _ = self._timed(sidecar, "percentile", "agg", {"source": "soak", "field": "latency_ns", "percentile": [99],
                                                                "from": f"now-{WINDOW_S}s"})
        answer = answers[0]
        if answer["count"] > 10 * PERIOD:  # so a part of a period more or less moves it little
            ranked = sorted(self.load.sequence.latencies)
            low, high = ranked[int(0.985 * PERIOD)], ranked[int(0.995 * PERIOD)]
            require(low <= answer["percentiles"]["99"] <= high and answer["max"] == ranked[-1],
                    lambda: f"wrong percentile: answer={answer}, expected={low} to {high}, max={ranked[-1]}")

    def _search(self, sidecar):
        """A late line by its own word, in the whole store through the text index; and by reading the lines of its time."""
        known = self.load.lines_acknowledged
        number = self.random.randrange(max(0, known - SEARCHED_S * self.load.rate // LINES), known)
        request = {"source": "lines", "query": f"q{number}"}
        found, _ = self._timed(sidecar, "search", "search", request)
        texts = [record["fields"]["line"] for record in found]
        require(not texts or texts == [line(number).decode()], lambda: f"wrong lines: number={number}, found={texts}")
        require(texts or sidecar.sources()["lines"]["lost"], lambda: f"the text index does not know a line: number={number}")
        start = found[0]["ts"] if found else time.time_ns() - 2 * SEARCHED_S * 1_000_000_000
        read, _ = sidecar.ask("search", {**request, "from": str(start), "disable-index": ["text"]})
        require([record["fields"]["line"] for record in read] == texts,
                lambda: f"the text index's answer is another: number={number}, index={texts}, reading={read}")
        self.found += len(texts)
        self.cycle.checked += len(texts)

    def _timed(self, sidecar, name, path, request):
        began = time.monotonic()
        rows, end = sidecar.ask(path, request)
        self.queries[name].append((time.monotonic() - began) * 1000)
        require(not end["damaged_pages"] and end["limit"] == "none", lambda: f"incomplete: query={name}, end={end}")
        return rows, end

    def settled(self, kind):
        """When a process was looked at, and what it took: its longest life without the first third."""
        lives = {}
        for at, life, taken in self.looks:
            lives.setdefault(life, []).append((at, taken[kind]))
        longest = max(lives.values(), key=len)
        return longest[len(longest) // 3:]

    def check_constant(self, kind, settled):
        """By the least of each minute, which what is open for the time of a query or of a compression does not raise."""
        minutes = {}
        for at, taken in settled:
            minutes[at // 60] = min(taken, minutes.get(at // 60, taken))
        slope = statistics.linear_regression(list(minutes), list(minutes.values())).slope * 60
        require(slope <= 1, lambda: f"grows: {kind}, an hour={slope:.1f}, least of each minute={list(minutes.values())}")

    def say(self, began):
        taken = self.looks[-1][2]
        lately = {name: statistics.median(times[-60:]) for name, times in self.queries.items()}
        print(f"  R36 hours={(time.monotonic() - began) / 3600:.2f} pushed={self.load.acknowledged} lost={self.lost} "
              f"faults={self.cycle.faults} disk={self.disk_max / MIB:.0f} MiB "
              + " ".join(f"{kind.replace(' MiB', '')}={value:.0f}" for kind, value in taken.items())
              + "".join(f" {name}={ms:.0f} ms" for name, ms in lately.items()), flush=True)

    def report(self):
        figure = self.cycle.figure
        for kind in self.looks[-1][2]:
            figure(kind, round(max(taken[kind] for _, _, taken in self.looks), 1))
            settled = self.settled(kind)
            if len(settled) >= 10:
                figure(kind + " an hour", round(statistics.linear_regression(*zip(*settled)).slope * 3600, 1))
                if kind in CONSTANT and self.cycle.minutes >= 60:
                    self.check_constant(kind, settled)
        figure("disk MiB", round(self.disk_max / MIB, 1))
        for name, times in self.queries.items():
            quarter = max(1, len(times) // 4)
            first, last = statistics.median(times[:quarter]), statistics.median(times[-quarter:])
            figure(f"{name}: ms, first quarter", round(first, 1))
            figure(f"{name}: ms, last quarter", round(last, 1))
            require(self.cycle.minutes < 60 or last <= 1.5 * first + 50, lambda: f"slower: query={name}, ms={first:.0f} to {last:.0f}")


def disk_of(cycle, budget):
    """An ext4 of its own, with room for the budget and a little more; or the one that an earlier run has left."""
    image = cycle.image or os.path.join(cycle.directory, "image")
    if not os.path.exists(image):
        with open(image, "wb") as file:
            file.truncate(budget + budget // 4 + 64 * MIB)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", image], check=True, capture_output=True)
    disk = mount(cycle, "-o", "loop", image)
    cycle.open.callback(unmount, disk)
    return disk


def soak(cycle):
    """Load, queries, compression, retention and faults for as many minutes as the run has; most of them in one life of the sidecar."""
    budget = cycle.budget_mib * MIB
    disk = disk_of(cycle, budget)
    cycle.store = os.path.join(disk, "store")
    cycle.settings = {"max_size": f"{cycle.budget_mib}MiB", "segment_mib": max(4, cycle.budget_mib // 80), "policy": "drop-newest",
                      "record_ring_mib": 4 if cycle.rate < 100_000 else 64, "durability_interval": None, "open_interval": None,
                      "compress_after": "10s", "compression_percent": 30,
                      "options": "-Xmx64m -XX:+UseSerialGC -XX:-UsePerfData"}
    load = Load(Sequence(cycle.seed), cycle.rate)
    watch = Watch(cycle, load, budget)
    filler = os.path.join(disk, "filler")
    began = time.monotonic()
    ends = began + cycle.minutes * 60
    kill_at = began + cycle.minutes * 60 / 8  # one of the lives has most of the time
    fault_at, say_at = began + 20, began + 60
    sidecar = cycle.start()
    sidecar.listening()
    life = 0
    before = resume(load, watch, sidecar)
    looking = threading.Thread(target=watch.look_at_disk, daemon=True)
    looking.start()
    cycle.open.callback(watch.ended.set)
    load.start()
    load.port = sidecar.port("ingest")
    while load.acknowledged < before + ASKED or not load.lines_acknowledged:
        require(time.monotonic() < began + loom.DEADLINE_S, "no progress")
        time.sleep(0.1)
    while time.monotonic() < ends:
        require(not load.failure and load.port and load.is_alive(), lambda: load.failure or f"the load has ended: reason={load.ended!r}")
        require(watch.disk_max <= budget, lambda: f"above the budget: disk={watch.disk_max}, budget={budget}")
        watch.look(sidecar, life)
        watch.ask(sidecar)
        if time.monotonic() > say_at:
            say_at += SAY_S
            watch.say(began)
        if time.monotonic() > fault_at:
            disturb(cycle, sidecar, disk, filler)
            fault_at = time.monotonic() + cycle.random.uniform(30, 120)
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
    watch.ask(sidecar)
    watch.say(began)
    sidecar.signal(signal.SIGTERM)
    require(sidecar.wait() == 143, lambda: f"ended badly: err={sidecar.text()}")
    load.stopped.set()
    load.join(loom.DEADLINE_S)
    loom.verify(cycle.store)
    watch.ended.set()
    looking.join()
    watch.disk()
    require(watch.disk_max <= budget, lambda: f"above the budget: disk={watch.disk_max}, budget={budget}")
    cycle.add("pushed", load.acknowledged - before)
    cycle.add("dropped", watch.lost - watch.lost_before)
    cycle.add("searches", len(watch.queries["search"]))
    cycle.add("lines found", watch.found)
    cycle.figure("records a second", round((load.acknowledged - before) / (ends - began)))
    watch.report()


def resume(load, watch, sidecar):
    """Goes on behind what earlier runs have left; returns how many records these have pushed."""
    known = sidecar.sources()
    if "soak" in known and "lines" in known:
        load.acknowledged = load.sent = booked(known["soak"], 0, 1 << 62)
        load.lines_acknowledged = load.lines_sent = booked(known["lines"], 0, 1 << 62)
        watch.earlier = watch.before = watch.lost_before = known["soak"]["lost"]
    return load.acknowledged


def settle(cycle, load, sidecar):
    """Offered = kept + dropped + deleted, but for the batch that a kill left in doubt; goes on behind what the store has."""
    sources = sidecar.sources()
    load.acknowledged = load.sent = booked(sources["soak"], load.acknowledged, load.sent)
    load.lines_acknowledged = load.lines_sent = booked(sources["lines"], load.lines_acknowledged, load.lines_sent)


def booked(entry, acknowledged, sent):
    total = entry["records"] + entry["lost"] + entry.get("deleted", 0)
    require(acknowledged <= total <= sent, lambda: f"the ledger does not add up: source={entry}, acknowledged={acknowledged}, sent={sent}")
    return total


def disturb(cycle, sidecar, disk, filler):
    fault = cycle.random.choice(("full", "stop", "freeze"))
    cycle.faults += 1
    if fault == "full":
        fill(filler)
        time.sleep(cycle.random.uniform(0.5, 4))
        os.unlink(filler)
    elif fault == "stop":
        sidecar.signal(signal.SIGSTOP)
        time.sleep(cycle.random.uniform(0.1, 2))
        sidecar.signal(signal.SIGCONT)
    else:
        subprocess.run(["fsfreeze", "--freeze", disk], check=True)
        try:
            time.sleep(cycle.random.uniform(0.2, 4))
        finally:
            subprocess.run(["fsfreeze", "--unfreeze", disk], check=True)
