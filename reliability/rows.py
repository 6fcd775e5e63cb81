"""One cycle of each row: what is done to the store, and what must then be true of it. docs/reliability.md has the rows."""
import contextlib
import fcntl
import os
import re
import shutil
import signal
import struct
import subprocess
import time
from xml.etree import ElementTree

import calls
import kernel
import loom
from cycle import LIMITED, Writers, close, durable_records, exists, finish, line, records
from faults import MIB, fill, may_mount, mount, mount_again, unmount
from ledger import ledger
from loom import Import, Sidecar
from oracle import Stream, require
from soak import soak

FS_IOC_SHUTDOWN = 0x8004587D
H2SPEC_PATH = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
H2SPEC_KNOWN = 16  # docs/notes/otlp.md explains them


def r2(cycle):
    """The sidecar is killed while it starts, recovers, receives, and deletes its oldest segments."""
    if not cycle.quick and cycle.random.random() < 0.4 and not cycle.sabotage:
        return r2_import(cycle)
    cycle.settings = LIMITED if cycle.random.random() < 0.5 else {}
    writers = Writers(cycle, pause_s=cycle.random.choice((0, 0.005) if cycle.settings else (0.005, 0.02, 0.05)))
    for _ in range(cycle.some(1, 9)):
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
        writers.require_alive()
        cycle.kill(sidecar)
        writers.stop()
        if cycle.random.random() < 0.3:
            writers.check()
        if cycle.random.random() < 0.1:
            loom.verify(cycle.store, repair=True)
            finish(cycle, writers)
    loom.run("source", "add", "end", "--format", "bytes", "--dir", cycle.store)
    finish(cycle, writers)


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
    for _ in range(cycle.some(1, 5)):
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
        require(found.next >= max(next, seen or 0), f"lost: found={found.next}, seen={seen}, before={next}")
        require(found.next <= process.sent, f"invented: found={found.next}, sent={process.sent}")
        next = found.next
        if cycle.random.random() < 0.5:
            loom.verify(cycle.store, repair=True)
    if exists(cycle):
        loom.verify(cycle.store, repair=True)
        loom.verify(cycle.store)
        require(not next or cycle.contents(source, stream, line).next == next, "lost by the recovery")


def file_systems():
    """How to make and to mount those whose power can be cut."""
    ext4 = ["mkfs.ext4", "-q", "-F"]
    known = [(ext4, "loop,data=ordered"), (ext4, "loop,data=writeback"), (["mkfs.xfs", "-q", "-f"], "loop")]
    return [each for each in known if shutil.which(each[0][0])]


def r3(cycle):
    """The power is cut: the file system stops at once, and what was in memory is gone."""
    image = os.path.join(cycle.directory, "image")
    with open(image, "wb") as file:
        file.truncate(320 * MIB)  # XFS takes no less than 300
    make, options = cycle.random.choice(file_systems())
    subprocess.run([*make, image], check=True, capture_output=True)
    disk = mount(cycle, "-o", options, image)
    cycle.add(make[0][5:], 1)
    mounted = cycle.open.enter_context(contextlib.ExitStack())
    mounted.callback(unmount, disk)
    cycle.store = os.path.join(disk, "store")
    cycle.settings = LIMITED if cycle.random.random() < 0.3 else {"max_size": "64MiB"}
    writers = Writers(cycle, logs=False, pause_s=cycle.random.choice((0.002, 0.01, 0.05)))
    sidecar = None
    for cut in range(cycle.some(2, 8)):
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
            cycle.add("records promised durable", sum(least))
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
        mount_again(cycle, disk, "-o", options, image)
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


def r12(cycle):
    """The disk is full, at times when the sidecar starts, and then has room again."""
    if not cycle.quick and cycle.random.random() < 0.3:
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
    for _ in range(cycle.some(1, 13)):
        writers.pace = {"pause_s": 0.002}
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
            least = client.acknowledged
            answer, end = sidecar.ask("agg", {"source": f"raw-{i}"})
            require(limited or answer[0]["count"] >= least and end["complete"],
                    f"wrong answer while the disk is full: least={least}, {answer} {end}")
        if cycle.random.random() < 0.3:
            frees = not limited and sidecar.info()["record_durable"] > 12 * MIB  # else the rings may hold more than can be deleted
            cycle.kill(sidecar)
            writers.stop()
            writers.check()
            if frees:
                limited, cycle.settings["min_free"] = True, "4MiB"  # all the room that it gets is what it deletes
                cycle.add("restarts that deleted", 1)
                if cycle.random.random() < 0.5:
                    loom.run("retain", "--dir", cycle.store, "--min-free", "4MiB")
            sidecar = cycle.start()
            sidecar.listening()
            writers.start(sidecar)
            if frees:
                writers.await_progress(1000)
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
    if may_mount():
        names.append(os.path.join(mount(cycle, "--bind", disk), "store"))
        cycle.open.callback(unmount, os.path.join(cycle.directory, "disk"))
    expected = {}
    for round in range(cycle.some(1, 4)):
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
        require(winners, lambda: f"nobody owns it: {[racer.text() for racer in racers]}")
        winner = winners[0]
        for racer in racers:
            if racer is not winner:
                # -1: the winner has not yet written its pid into the mark
                owner = any(f"pid={pid}" in racer.text() for pid in (winner.pid, -1))
                require(racer.wait() == 3 and owner, lambda: f"refused without its owner: {racer.text()}")
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
    for _ in range(cycle.some(1, 4)):
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
        seconds = 60 if cycle.random.random() < 0.05 and not cycle.quick else cycle.random.uniform(0, 1.5)
        time.sleep(seconds)
        sidecar.signal(signal.SIGCONT)
        cycle.figure("s stopped", round(seconds, 1))
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


# what each needs: root, or commands
def r30(cycle):
    """Each case of h2spec against the gRPC port; those that are known to fail do, and no others."""
    sidecar = cycle.open.enter_context(contextlib.closing(
        Sidecar(cycle.store, cycle.staging, arguments=("--otlp-grpc", "127.0.0.1:0"))))
    sidecar.listening()
    report = os.path.join(cycle.directory, "h2spec.xml")
    done = subprocess.run(["h2spec", "-h", "127.0.0.1", "-p", str(sidecar.port("otlp-grpc")), "-P", H2SPEC_PATH, "-j", report],
                          capture_output=True, text=True, timeout=600)
    require(os.path.exists(report), lambda: f"h2spec failed: code={done.returncode}, err={done.stderr[-500:]}")
    failed = []
    for case in ElementTree.parse(report).iter("testcase"):
        cycle.faults += 1
        failed += [f"{case.get('package')}: {case.get('classname')}" for kind in ("failure", "error") if case.find(kind) is not None][:1]
    cycle.checked = cycle.faults - len(failed)
    cycle.figure("cases that fail", len(failed))
    require(len(failed) <= H2SPEC_KNOWN, lambda: f"more cases fail than are known: failed={len(failed)}, known={H2SPEC_KNOWN}, cases={failed}")
    require(sidecar.ready(), "is not ready after h2spec")
    require(not any(source["records"] for source in sidecar.sources().values()), "something was stored")


ROWS = {
    "R2": (r2, "kill -9 of the sidecar and of imports", ()),
    "R3": (r3, "power cut", ("root", "mkfs.ext4")),
    "R4": (calls.r4, "kill within a write", ("cc",)),
    "R12": (r12, "full disk, then room again", ("root",)),
    "R13": (of_kernel(kernel.r13), "files may not grow", ()),
    "R14": (calls.r14, "calls that fail", ("cc",)),
    "R15": (calls.r15, "syncs that fail, then lie, and power cuts", ("cc",)),
    "R16": (calls.r16, "short reads and writes", ("cc",)),
    "R17": (of_kernel(kernel.r17), "the store's directory or mount vanishes, then is back", ("root",)),
    "R18": (of_kernel(kernel.r18), "the disk does not answer for up to 30 s", ("root", "mkfs.ext4", "fsfreeze")),
    "R21": (r21, "openers racing", ()),
    "R22": (r22, "owner stopped, then continued", ()),
    "R23": (of_kernel(kernel.r23), "no descriptors", ("prlimit",)),
    "R30": (r30, "HTTP/2 that breaks its rules: h2spec", ("h2spec",)),
    "R35": (of_kernel(kernel.r35), "planted links", ()),
    "R36": (soak, "a soak; asked for by name alone", ("root", "mkfs.ext4", "fsfreeze")),
    "ledger": (ledger, "a day of faults; offered = kept + dropped + deleted", ("root",)),
}
