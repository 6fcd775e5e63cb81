"""The system under test, from outside: ./loom in processes of its own, its ports by sockets, its answers as JSON."""
import base64
import http.client
import json
import os
import queue
import random
import re
import signal
import socket
import struct
import subprocess
import threading
import time

from oracle import Stream, Violation, require

for name in [each for each in os.environ if each.startswith("LOOM_") and each != "LOOM_JAVA_OPTS"]:
    del os.environ[name]  # a user's defaults would change what commands do and answer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOOM = os.path.join(ROOT, "loom")
DEADLINE_S = 300  # for anything that must come to an end
RECORDS_MAX = 1_500  # of a client's connection; then it sends slowly, as all of them have to be checked

QUICK = "-XX:TieredStopAtLevel=1"  # a sidecar mostly lives for seconds: the optimizing compiler would cost more than it gives

HELLO, BATCH, SCHEMA, TAKEN, RETRY, REFUSED, DONE = 1, 2, 3, 17, 18, 19, 20


def run(*args, ok=(0,), **more):
    """A command that must end with one of these exit codes."""
    done = subprocess.run([LOOM, *map(str, args)], capture_output=True, text=True, timeout=DEADLINE_S, **more)
    require(done.returncode in ok, lambda: f"exit code: command={' '.join(map(str, args))}, code={done.returncode}, "
            f"expected={ok}, err={done.stderr[-2000:]}")
    return done


def verify(store, repair=False):
    run("verify", "--dir", store, *(["--repair"] if repair else []))


class Command:
    """Reads a store by the command, which attaches to it, whether its writer lives or is dead."""

    def __init__(self, store):
        self.store = store

    def info(self):
        return json.loads(run("info", "--dir", self.store, "-o", "json").stdout)

    def sources(self):
        lines = run("sources", "--dir", self.store, "-o", "json", ok=(0, 3)).stdout.splitlines()
        return {source["name"]: source for source in map(json.loads, lines)}

    def scan(self, source, expired=False):
        """The records of a source, oldest first. The answer must be complete, but for what was deleted."""
        process = subprocess.Popen(
            [LOOM, "scan", "--dir", self.store, source, "--asc", "-o", "json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        errors = []
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)
        reader.start()
        try:
            yield from map(json.loads, process.stdout)
            process.wait(DEADLINE_S)
            reader.join(DEADLINE_S)
            incomplete = re.search(r"incomplete answer: (\{.*\})", "".join(errors))
            require(process.returncode == 0 or incomplete and complete(json.loads(incomplete[1]), expired),
                    lambda: f"scan failed: source={source}, code={process.returncode}, err={''.join(errors)[-2000:]}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def complete(end, expired):
    """Whether an answer lacks nothing, or only what was deleted."""
    return end["complete"] or expired and not end["damaged_pages"] and not end["lost"] and end["limit"] == "none"


def payload(record):
    """The bytes of a record of a source of format bytes."""
    return base64.b64decode(next(iter(record["fields"].values())))


class Process:
    """A ./loom of our own, until it is killed or ends."""

    def __init__(self, *args, **more):
        self.process = subprocess.Popen([LOOM, *map(str, args)], stderr=subprocess.PIPE, **more)
        self.pid = self.process.pid
        self.err = []
        self.said = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stderr:
            with self.said:
                self.err.append(line.decode(errors="replace"))
                self.said.notify_all()
        with self.said:
            self.err.append(None)
            self.said.notify_all()

    def text(self):
        with self.said:
            return "".join(line for line in self.err if line)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE_S)

    def wait(self, timeout=DEADLINE_S):
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Violation(f"hangs: pid={self.pid}, err={self.text()[-2000:]}")
        self.reader.join(timeout)
        return code

    def alive(self):
        return self.process.poll() is None

    def close(self):
        if self.alive():
            self.signal(signal.SIGCONT)
            self.kill()


class Sidecar(Process):
    """./loom serve with a raw port, OTLP/HTTP and the query API."""

    options = QUICK

    def __init__(self, store, staging, **settings):
        config = store + ".yaml"
        more = settings.pop("arguments", ())
        environment = {"LOOM_JAVA_OPTS": settings.pop("options", Sidecar.options), **os.environ, **settings.pop("environment", {})}
        store_settings = {"record_ring_mib": 4, "segment_mib": 1, "min_free": "0B", "staging_directory": staging,
                          "open_interval": "200ms", "durability_interval": "100ms", **settings}
        with open(config, "w") as file:
            file.write("store: {" + ", ".join(f"{k}: {v}" for k, v in store_settings.items() if v is not None) + "}\n"
                       "receivers: {otlp: {max_in_flight_mib: 4}}\n")
        super().__init__("serve", "--config", config, "--dir", store, "--ingest", "127.0.0.1:0",
                         "--otlp-http", "127.0.0.1:0", "--http", "127.0.0.1:0",
                         *more, env=environment)

    def serves(self):
        """Waits until it serves, or has ended."""
        until = time.monotonic() + DEADLINE_S
        with self.said:
            while not any(line is None or "serving " in line for line in self.err):
                require(self.said.wait(until - time.monotonic()), lambda: f"does not start: err={self.err}")
        text = self.text()
        self.ports = {name: int(port) for name, port in re.findall(r"listening: (\S+) \S*:(\d+)", text)}
        return "serving " in text

    def listening(self):
        """Waits until it serves."""
        require(self.serves(), lambda: f"does not start: code={self.wait()}, err={self.text()}")

    def port(self, name):
        return next(port for each, port in self.ports.items() if each == name or each.startswith(name))

    def ask(self, path, request):
        connection = http.client.HTTPConnection("127.0.0.1", self.port("http"), timeout=DEADLINE_S)
        try:
            connection.request("POST", "/v1/" + path, json.dumps(request), {"content-type": "application/json"})
            answer = connection.getresponse()
            lines = [json.loads(line) for line in answer.read().splitlines() if line.strip()]
            require(answer.status == 200 and "end" in lines[-1],
                    lambda: f"the API failed: path={path}, status={answer.status}, last={lines[-1:]}")
            return lines[:-1], lines[-1]["end"]
        finally:
            connection.close()

    def info(self):
        return self.ask("info", {})[0][0]

    def sources(self):
        return {source["name"]: source for source in self.ask("sources", {})[0]}

    def scan(self, source, expired=False):
        records, end = self.ask("scan", {"source": source, "asc": True})
        require(complete(end, expired), lambda: f"incomplete answer: source={source}, end={end}")
        return records

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port("http"), timeout=DEADLINE_S)
        try:
            connection.request("GET", "/metrics")
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def metric(self, name):
        """The sum of all series of a metric."""
        return sum(float(line.rsplit(" ", 1)[1]) for line in self.metrics().splitlines()
                   if re.match(name + r"[ {]", line))

    def ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port("http"), timeout=DEADLINE_S)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        finally:
            connection.close()


def share_classes(directory):
    """Archives the classes of a sidecar, with which all others start with half the work."""
    archive = os.path.join(directory, "sidecar.jsa")
    sidecar = Sidecar(os.path.join(directory, "store"), directory, options=f"{QUICK} -Xlog:cds*=off -XX:ArchiveClassesAtExit={archive}")
    try:
        sidecar.listening()
        client = RawClient(sidecar.port("ingest"), Stream(0, 0), 0, random.Random(0))
        client.start()
        while not client.acknowledged and client.is_alive():
            time.sleep(0.01)
        client.stop()
        sidecar.scan("raw-0")
        sidecar.signal(signal.SIGTERM)
        sidecar.wait()
    finally:
        sidecar.close()
    if os.path.exists(archive):
        Sidecar.options = f"{QUICK} -Xlog:cds*=off -XX:SharedArchiveFile={archive}"


def source_id(answer):
    return json.loads(answer)["source"]["id"]


class RawClient(threading.Thread):
    """Sends the records of a stream in order, until the sidecar dies or it is told to stop."""

    def __init__(self, port, stream, start, random, pause_s=0.0, batches=(1, 10, 100, 300)):
        super().__init__(daemon=True)
        self.port, self.stream, self.random, self.pause_s, self.batches = port, stream, random, pause_s, batches
        self.acknowledged = self.sent = start
        self.retries = 0
        self.stopped = threading.Event()
        self.failure = None

    def run(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S) as connection:
                self.file = connection.makefile("rwb")
                self._push()
        except (OSError, EOFError):
            pass  # the sidecar was killed
        except Violation as e:
            self.failure = e

    def call(self, kind, body):
        self.file.write(struct.pack("<II", len(body), kind) + body)
        self.file.flush()
        head = self.file.read(8)
        if len(head) < 8:
            raise EOFError
        length, kind = struct.unpack("<II", head)
        body = self.file.read(length)
        if len(body) < length:
            raise EOFError
        return kind, body

    def _source(self):
        request = {"op": "define-source", "name": f"raw-{self.stream.number}", "format": "bytes"}
        while not self.stopped.is_set():
            kind, body = self.call(SCHEMA, json.dumps(request).encode())
            if kind == DONE:
                return source_id(body)
            self.retries += 1
            self.stopped.wait(0.05)  # the store can't be written yet
        raise EOFError

    def _push(self):
        self.call(HELLO, b'{"protocol":1,"token":""}')
        source = self._source()
        batch = []
        lately = 0
        while not self.stopped.is_set():
            if not batch:
                count = self.random.choice(self.batches)
                batch = [self.stream.payload(self.acknowledged + i) for i in range(count)]
            body = struct.pack(f"<HHI{len(batch)}I", source, 0, len(batch), *map(len, batch)) + b"".join(batch)
            self.sent = max(self.sent, self.acknowledged + len(batch))
            kind, answer = self.call(BATCH, body)
            taken, delay_ms = struct.unpack_from("<II", answer)
            require(kind in (TAKEN, RETRY), lambda: f"refused: reason={answer[8:].decode(errors='replace')}")
            require(taken == len(batch) if kind == TAKEN else taken <= len(batch),
                    lambda: f"wrong count: taken={taken}, sent={len(batch)}")
            self.acknowledged += taken
            del batch[:taken]
            self.retries += kind == RETRY
            lately += taken
            full = lately > RECORDS_MAX
            self.stopped.wait(min(delay_ms, 50) / 1000 if kind == RETRY else 0.05 if full else self.pause_s)

    def stop(self):
        self.stopped.set()
        self.join(DEADLINE_S)
        require(not self.is_alive(), f"the raw port hangs: stream={self.stream.number}")
        if self.failure:
            raise self.failure


class LogClient(threading.Thread):
    """
    Posts OTLP log records whose bodies are the payloads of a stream in hexadecimal. After a refusal it goes on behind what the
    store is done with, if it can ask for that, else behind what it sent.
    """

    def __init__(self, port, stream, start, done=None):
        super().__init__(daemon=True)
        self.port, self.stream, self.sent, self.done = port, stream, start, done
        self.answered = start
        self.acknowledged = set()
        self.stopped = threading.Event()
        self.failure = None

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            while not self.stopped.is_set():
                batch = range(self.sent, self.sent + 10)
                records = [{"body": {"stringValue": self.stream.payload(i).hex()}} for i in batch]
                self.sent += len(batch)
                connection.request("POST", "/v1/logs", json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}),
                                   {"content-type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    self.acknowledged.update(batch)
                    self.answered = self.sent
                else:
                    require(answer.status in (413, 503), lambda: f"refused: status={answer.status}")
                    if self.done:
                        self.answered = self.sent = self.done()
                self.stopped.wait(0.005 if len(self.acknowledged) < RECORDS_MAX else 0.05)
        except (OSError, http.client.HTTPException):
            pass  # the sidecar was killed
        except Violation as e:
            self.failure = e
        finally:
            connection.close()

    def stop(self):
        self.stopped.set()
        self.join(DEADLINE_S)
        require(not self.is_alive(), "the port of OTLP/HTTP hangs")
        if self.failure:
            raise self.failure


class Import(Process):
    """./loom import of lines from a pipe, each the payload of a stream in hexadecimal; a thread writes them."""

    def __init__(self, store, stream, start=0, more=()):
        super().__init__("import", "--dir", store, "--source", f"lines-{stream.number}", "--format", "lines", *more, "-",
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.stream, self.sent = stream, start
        self.counts = queue.SimpleQueue()
        self.feeder = threading.Thread(target=self._feed, daemon=True)
        self.feeder.start()

    def _feed(self):
        try:
            for count in iter(self.counts.get, 0):
                for _ in range(count):
                    sequence = self.sent
                    self.sent += 1  # a part of it may arrive
                    self.process.stdin.write(self.stream.payload(sequence).hex().encode() + b"\n")
                self.process.stdin.flush()
            self.process.stdin.close()
        except OSError:
            pass  # killed

    def feed(self, count):
        self.counts.put(count)

    def end(self):
        """Ends the input after all that was fed."""
        self.counts.put(0)
