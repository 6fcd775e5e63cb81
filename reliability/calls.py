"""Faults within single calls of the store's process to the kernel: torn, failing, short, and lying ones."""
import errno
import http.client
import os
import signal
import time

import loom
from cycle import LIMITED, Writers, close, durable_records, finish
from kernel import await_until
from oracle import Violation, require
from shim import EVER, WHOLE, Shim

POINTS = (0, 1, 333, 500, 667, 999, WHOLE)  # thousandths of a write
LAST = 60  # writes of a life
ERRORS = (errno.EIO, errno.ENOSPC, errno.EROFS, errno.EMFILE, errno.EDQUOT)


def begin(cycle, most=0):
    shim = Shim(cycle)
    shim.set("most", most)
    cycle.settings = {**LIMITED, "environment": shim.environment}
    return shim, Writers(cycle, logs=False, pause_s=0.02, batches=(1, 10, 30))


def r4(cycle):
    """Each life ends within a write, one later than the life before; a part of it is written. The next life recovers."""
    shim, writers = begin(cycle)
    step = 20 if cycle.quick else 1
    for made in (False, True):
        for number in range(cycle.random.randrange(1, step + 1), LAST + 1, step):
            served = end_within(cycle, shim, writers, number)
            if served and not made:
                break  # and once more from the first write on: of recoveries now
            if served and cycle.random.random() < 0.1:
                writers.check()
                loom.verify(cycle.store, repair=True)
                finish(cycle, writers)
    loom.verify(cycle.store, repair=True)
    finish(cycle, writers)


def end_within(cycle, shim, writers, number):
    """A life that ends within its write of this number, or a later one. Returns whether it came to serve."""
    before = shim.get("write")
    part = POINTS[(number + cycle.seed) % len(POINTS)]  # all of them after as many cycles
    shim.arm("write", ahead=number, part=part)
    sidecar = cycle.start()
    served = sidecar.serves()
    if served:
        shim.disarm()
        writers.check(reader=sidecar)
        shim.arm("write", ahead=max(1, before + number - shim.get("write")), part=part)
        writers.start(sidecar)
    code = sidecar.wait()
    require(code == -signal.SIGKILL, lambda: f"not killed: code={code}, err={sidecar.text()}")
    writers.stop()
    shim.disarm()
    cycle.faults += 1
    return served


def unharmed(sidecar, writers, i):
    """A query while calls may fail: it is answered, or says why not, in time. Returns whether it lacks nothing but what was deleted."""
    least = writers.clients[i].acknowledged
    try:
        answer, end = sidecar.ask("agg", {"source": f"raw-{i}"})
    except (Violation, OSError, http.client.HTTPException):
        require(sidecar.alive(), lambda: f"ended: err={sidecar.text()}")
        return False
    require(not end["complete"] or answer[0]["count"] >= least, lambda: f"called complete: least={least}, {answer}")
    return loom.complete(end, expired=True)


def r14(cycle):
    """Calls fail, from one that is chosen on, once or until the disk is mended: while it opens, and while it runs."""
    shim, writers = begin(cycle)
    for _ in range(1 if cycle.quick else 4):
        kind, error = cycle.random.choice(("open", "read", "write", "truncate", "sync", "name")), cycle.random.choice(ERRORS)
        shim.arm(kind, error, cycle.random.randrange(1, 40), cycle.random.choice((1, 2, EVER)))
        sidecar = cycle.start()
        sidecar.listening()
        require(shim.get("open") and shim.get("write"), "the shim sees no calls: LD_PRELOAD is ignored")
        time.sleep(cycle.random.uniform(0, 0.5))
        mend(cycle, shim, sidecar)
        writers.check(reader=sidecar)
        writers.start(sidecar)
        writers.await_progress()
        for _ in range(3 if cycle.quick else 12):
            fail(cycle, shim, writers, sidecar)
        if cycle.random.random() < 0.5:
            close(cycle, sidecar, writers)
        else:
            cycle.kill(sidecar)
            writers.stop()
    loom.verify(cycle.store, repair=True)
    finish(cycle, writers)


def mend(cycle, shim, sidecar):
    shim.disarm()
    cycle.add("failed calls", shim.get("hits"))
    cycle.faults += shim.get("hits") > 0
    shim.set("hits", 0)
    await_until("never ready again", sidecar.ready)


def fail(cycle, shim, writers, sidecar):
    kind = cycle.random.choice(("open", "read", "write", "write", "sync", "sync", "name"))
    lasts = cycle.random.choice((1, 1, 2, EVER))
    shim.arm(kind, cycle.random.choice(ERRORS), cycle.random.randrange(1, 6), lasts, cycle.random.choice((0, 0, 500)))
    until = time.monotonic() + 1
    asked = 0
    while shim.get("hits") < min(lasts, 4) and time.monotonic() < until:
        unharmed(sidecar, writers, asked % 2)
        asked += 1
    mend(cycle, shim, sidecar)
    writers.await_progress()
    require(unharmed(sidecar, writers, 0), "no whole answer although the disk is mended")


def r15(cycle):
    """Syncs fail once, and then succeed although what was written before is lost; then the power is cut."""
    shim, writers = begin(cycle)
    shim.set("keeps", 1)
    for _ in range(2 if cycle.quick else 8):
        sidecar = cycle.start()
        sidecar.listening()
        writers.check(reader=sidecar)
        writers.start(sidecar)
        writers.await_progress()
        for _ in range(cycle.random.randrange(1, 4)):
            shim.set("hits", 0)
            shim.arm("sync", errno.EIO, cycle.random.randrange(1, 8), cycle.random.choice((1, 1, 2, 5)))
            await_until("no sync", lambda: shim.get("hits"))
            cycle.faults += 1
            time.sleep(cycle.random.uniform(0, 1))
        if cycle.random.random() < 0.5:
            shim.disarm()
            tail = sidecar.info()["record_tail"]
            await_until("nothing becomes durable again", lambda: sidecar.info()["record_durable"] >= tail)
        least = durable_records(sidecar, writers)
        cycle.add("records promised durable", sum(least))
        durable = sidecar.info()["record_durable"]
        sidecar.kill()
        shim.disarm()
        writers.stop()
        cycle.forget()
        cycle.add("blocks lost", shim.cut_power(cycle.store, lies=cycle.sabotage))
        cycle.faults += 1
        tail = cycle.command().info()["record_tail"]
        require(tail >= durable, f"lost below durable: tail={tail}, durable={durable}")
        writers.check(least=least)
        writers.sent = list(writers.acknowledged)
    require(cycle.sums["records promised durable"], "nothing was ever durable")
    loom.verify(cycle.store, repair=True)
    writers.check(exact=True)
    loom.verify(cycle.store)


def r16(cycle):
    """Reads and writes that move a few bytes of those asked for, or a few of their blocks."""
    shim, writers = begin(cycle, most=cycle.random.choice((777, cycle.random.randrange(100, 10_000))))
    for _ in range(1 if cycle.quick else 3):
        sidecar = cycle.start()
        sidecar.listening()
        writers.check(reader=sidecar)
        writers.start(sidecar)
        writers.await_progress(300)
        if cycle.random.random() < 0.5:
            cycle.kill(sidecar)
            writers.stop()
        else:
            close(cycle, sidecar, writers)
    loom.run("verify", "--repair", "--dir", cycle.store, env={**os.environ, **shim.environment})
    require(shim.get("hits"), "no call fell short: LD_PRELOAD is ignored")
    cycle.faults += shim.get("hits")
    finish(cycle, writers)
