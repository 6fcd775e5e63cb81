"""Disks that stall and vanish, limits of a process, and links where files are to be: what the kernel does, undone again."""
import contextlib
import os
import resource
import shutil
import subprocess
import threading
import time

import loom
from faults import MIB, mount, unmount
from oracle import require


def await_until(what, condition, seconds=loom.DEADLINE_S):
    until = time.monotonic() + seconds
    while not condition():
        require(time.monotonic() < until, what)
        time.sleep(0.02)


def trouble(cycle, writers, sidecar, begin, end, feel=True, gone=False):
    """
    A fault that begins and ends: senders are told to wait, readers are answered (with less, and told so, where the files are
    gone), /readyz, /metrics and info say so; then all goes on by itself.
    """
    acknowledged = writers.total()
    retries = [client.retries for client in writers.clients]
    begin()
    cycle.faults += 1
    if feel:
        await_until("the disk takes nothing, and the sidecar accepts all the same",
                    lambda: all(client.retries > before + 2 for client, before in zip(writers.clients, retries)))
        await_until("the disk takes nothing, and the sidecar is ready", lambda: not sidecar.ready())
        require(sidecar.metric("loom_ready") == 0, "the disk takes nothing, and /metrics say ready")
        require("error" in sidecar.info(), "the disk takes nothing, and info does not say so")
    began = time.monotonic()
    for i, client in enumerate(writers.clients):
        least = client.acknowledged
        answer, said = sidecar.ask("agg", {"source": f"raw-{i}"})
        require(answer[0]["count"] >= least if said["complete"] else gone and answer[0]["count"] > 0,
                lambda: f"wrong answer meanwhile: least={least}, {answer} {said}")
    cycle.figure("s for queries meanwhile", round(time.monotonic() - began, 2))
    cycle.figure("records taken meanwhile", writers.total() - acknowledged)
    end()
    ended = time.monotonic()
    writers.await_progress()
    cycle.figure("s until it goes on", round(time.monotonic() - ended, 2))
    await_until("never ready again", sidecar.ready)


def begin_writing(cycle, writers):
    sidecar = cycle.start()
    sidecar.listening()
    writers.start(sidecar)
    writers.await_progress()
    return sidecar


def r13(cycle, writers, close):
    """Files may not grow, as under a limit or a quota; then they may."""
    cycle.settings = {"max_size": "64MiB", "record_ring_mib": 2}
    sidecar = begin_writing(cycle, writers)
    for _ in range(cycle.some(1, 4)):
        time.sleep(cycle.random.uniform(0, 0.5))
        size = cycle.random.choice((0, 1, 65_536, 700_000))
        trouble(cycle, writers, sidecar,
                lambda: resource.prlimit(sidecar.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY)),
                lambda: resource.prlimit(sidecar.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
    close(cycle, sidecar, writers)


def r17(cycle, writers, close):
    """The store's directory is renamed, or its mount vanishes; then it is back."""
    disk = mount(cycle, "-t", "tmpfs", "-o", "size=128m", "tmpfs")
    cycle.open.callback(unmount, disk)
    bound = os.path.join(cycle.directory, "bound")
    os.makedirs(bound)
    subprocess.run(["mount", "--bind", disk, bound], check=True)
    cycle.open.callback(lambda: subprocess.run(["umount", "-l", bound], capture_output=True))
    cycle.store = os.path.join(bound, "store")
    cycle.settings = {"max_size": "64MiB", "record_ring_mib": 2}
    sidecar = begin_writing(cycle, writers)
    for _ in range(cycle.some(1, 4)):
        time.sleep(cycle.random.uniform(0, 0.5))
        if cycle.random.random() < 0.5:
            trouble(cycle, writers, sidecar, lambda: subprocess.run(["umount", "-l", bound], check=True),
                    lambda: subprocess.run(["mount", "--bind", disk, bound], check=True), gone=True)
        else:
            trouble(cycle, writers, sidecar, lambda: os.rename(cycle.store, cycle.store + ".away"),
                    lambda: os.rename(cycle.store + ".away", cycle.store), gone=True)
    close(cycle, sidecar, writers)


def r18(cycle, writers, close):
    """The disk does not answer for up to half a minute."""
    image = os.path.join(cycle.directory, "image")
    with open(image, "wb") as file:
        file.truncate(192 * MIB)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, capture_output=True)
    disk = mount(cycle, "-o", "loop", image)
    cycle.open.callback(unmount, disk)
    cycle.open.callback(lambda: subprocess.run(["fsfreeze", "-u", disk], capture_output=True))
    cycle.store = os.path.join(disk, "store")
    cycle.settings = {"max_size": "64MiB", "record_ring_mib": 2}
    sidecar = begin_writing(cycle, writers)
    for _ in range(cycle.some(1, 3)):
        time.sleep(cycle.random.uniform(0, 0.5))
        seconds = 0.2 if cycle.quick else cycle.random.choice((0.2, 3, 15, 30))
        thaw = threading.Timer(60, lambda: subprocess.run(["fsfreeze", "-u", disk], capture_output=True))
        frozen = []

        def freeze():
            thaw.start()
            subprocess.run(["fsfreeze", "-f", disk], check=True)
            frozen.append(time.monotonic())

        def unfreeze():
            time.sleep(max(0.0, frozen[0] + seconds - time.monotonic()))
            subprocess.run(["fsfreeze", "-u", disk], check=True)
            cycle.figure("s frozen", round(time.monotonic() - frozen[0], 1))
            thaw.cancel()

        trouble(cycle, writers, sidecar, freeze, unfreeze, feel=seconds >= 15)
    close(cycle, sidecar, writers)


def r23(cycle, writers, close):
    """No more descriptors: while it runs, then from its start."""
    cycle.settings = {"max_size": "64MiB", "record_ring_mib": 2}
    sidecar = begin_writing(cycle, writers)
    most = resource.prlimit(sidecar.pid, resource.RLIMIT_NOFILE)
    for _ in range(cycle.some(1, 4)):
        time.sleep(cycle.random.uniform(0, 0.5))
        acknowledged = writers.total()
        resource.prlimit(sidecar.pid, resource.RLIMIT_NOFILE, (cycle.random.randrange(0, 30), most[1]))
        cycle.faults += 1
        time.sleep(cycle.random.uniform(0.2, 3))  # senders that are connected may go on, or be told to wait
        resource.prlimit(sidecar.pid, resource.RLIMIT_NOFILE, most)
        ended = time.monotonic()
        writers.await_progress()
        cycle.figure("s until it goes on", round(time.monotonic() - ended, 2))
        cycle.figure("records taken meanwhile", writers.total() - acknowledged)
        await_until("never ready again", sidecar.ready)
    close(cycle, sidecar, writers)
    for files in range(5, 64, 20 if cycle.quick else cycle.random.randrange(1, 4)):
        done = subprocess.run(["prlimit", f"--nofile={files}", loom.LOOM, "source", "add", f"s{files}", "--format", "bytes",
                               "--dir", cycle.store], capture_output=True, text=True, timeout=loom.DEADLINE_S)
        cycle.faults += 1
        cycle.add("openings with too few descriptors", done.returncode != 0)
        sources = cycle.command().sources()
        require((f"s{files}" in sources) == ("defined source" in done.stderr) and (done.returncode or f"s{files}" in sources),
                lambda: f"half done: files={files}, code={done.returncode}, err={done.stderr[-500:]}")
    writers.check(exact=True)
    loom.verify(cycle.store)


NAMES = ("LOCK", "loom.mark", "schema.log", "open.page", "record", "time", "chunk", "owner", "record/" + "0" * 20 + ".seg",
         "time/" + "0" * 20 + ".seg", "chunk/" + "0" * 20 + ".seg", "store")


def r35(cycle, writers, close):
    """Links lie where a store's files are to be. They are refused, or nothing is written behind them."""
    for name in cycle.random.sample(NAMES, 2) if cycle.quick else NAMES:
        for dangling in (False, True):
            cycle.faults += 1
            folder = os.path.join(cycle.directory, "planted")
            store = os.path.join(folder, "store")
            victim = os.path.join(cycle.directory, "victim")
            os.makedirs(folder)
            os.chmod(folder, 0o777)
            if name != "store":
                os.makedirs(store, mode=0o700)
            link = store if name == "store" else os.path.join(store, name)
            os.makedirs(os.path.dirname(link), exist_ok=True, mode=0o700)
            if not dangling:
                with open(victim, "w") as file:
                    file.write("precious")
            os.symlink(victim, link)
            done = loom.run("source", "add", "a", "--format", "bytes", "--dir", store, ok=(0, 3))
            process = subprocess.run([loom.LOOM, "import", "--dir", store, "--source", "l", "--format", "lines", "-"],
                                     input="line\n" * 100, capture_output=True, text=True, timeout=loom.DEADLINE_S)
            require(process.returncode in (0, 3), lambda: f"link={name}, code={process.returncode}, err={process.stderr[-500:]}")
            if dangling:
                require(not os.path.exists(victim), f"made behind a link: link={name}, said={done.stderr}")
            else:
                with open(victim) as file:
                    require(file.read() == "precious", f"written behind a link: link={name}, said={done.stderr}")
            for at, folders, files in os.walk(store):
                for each in folders + files:
                    mode = os.lstat(os.path.join(at, each)).st_mode & 0o077
                    require(not mode or os.path.islink(os.path.join(at, each)), f"open to others: file={each}, mode={mode:o}")
            shutil.rmtree(folder)
            with contextlib.suppress(OSError):
                os.unlink(victim)
