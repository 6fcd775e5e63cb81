"""Runs cycles of faults against ./loom and prints a table; exits with 1 if a promise was broken.

python3 reliability/run.py --minutes 30 --rows R2,R12 --seed 7     # python3 reliability/run.py --help
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

if sys.version_info < (3, 10):
    sys.exit("needs Python 3.10 or newer")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import loom
import rows as outside
import tests
from cycle import Cycle
from faults import may_mount
from oracle import Violation

ROWS = {**outside.ROWS, **tests.ROWS}
SHORT = [row for row in outside.ROWS if row != "R36"]


def arguments():
    parser = argparse.ArgumentParser(description="Runs cycles of faults against ./loom, and prints what became of its promises.")
    parser.add_argument("--quick", action="store_true", help="one short cycle of each row that can be short, for CI")
    parser.add_argument("--minutes", type=float, help="begin no cycle after so long; by default 5 unless --cycles is given")
    parser.add_argument("--cycles", type=int, help="so many cycles of each row at most")
    parser.add_argument("--rows", help=f"by default {','.join(SHORT)}; R14 also stands for R14/tests, all for every row but R36, which lasts as long as the run; some need root or a C compiler")
    parser.add_argument("--seed", type=int, default=time.time_ns() // 1_000_000, help="of the first cycle of each row; the next one has the next seed")
    parser.add_argument("--rate", type=int, default=20_000, help="records a second of R36")
    parser.add_argument("--budget", type=int, default=320, metavar="MIB", help="the most disk that the store of R36 may take")
    parser.add_argument("--image", help="the file with the disk of R36, made if it is not there; a later run with the same seed goes on with its store")
    parser.add_argument("--totals", help="file to add the counts to, so that a soak may go on in several runs")
    parser.add_argument("--sabotage", action="store_true", help="after a kill, also delete what must survive it, or lose what was synced: R2 and R15 must fail")
    parser.add_argument("--work", default="/dev/shm" if os.path.isdir("/dev/shm") else None,
                        help="directory for the stores, on a file system in memory; by default /dev/shm")
    given = parser.parse_args()
    given.ended, given.named = 0, bool(given.rows)
    asked = given.rows.split(",") if given.rows else [row for row in SHORT if not (given.quick and row == "ledger")]
    if asked == ["all"]:
        asked = [row for row in ROWS if row != "R36"]
    if unknown := [row for row in asked if row not in ROWS and f"{row}/tests" not in ROWS]:
        parser.error(f"unknown rows: {','.join(unknown)}; expected some of {','.join(ROWS)}, or all")
    given.rows = [row for row in ROWS if row in asked or (given.rows and row.removesuffix("/tests") in asked)]
    if given.quick and given.cycles is None:
        given.cycles = 1
    if given.minutes is None and given.cycles is None:
        given.minutes = 5
    return given


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=7"], cwd=loom.ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def run_cycle(row, number, seed, given):
    """The counts of one cycle."""
    directory = tempfile.mkdtemp(prefix=f"loom-{row.replace('/', '-')}-{seed}-", dir=given.work)
    cycle = Cycle(directory, seed, given.sabotage, given.quick)
    cycle.minutes, cycle.rate, cycle.budget_mib, cycle.image = given.minutes or cycle.minutes, given.rate, given.budget, given.image
    began = time.monotonic()
    failure = None
    try:
        with cycle.open:
            try:
                ROWS[row][0](cycle)
            except Exception as e:
                failure = f"{type(e).__name__}: {e}"
                if not isinstance(e, Violation):
                    traceback.print_exc()
                if os.path.ismount(os.path.join(directory, "disk")):
                    shutil.copytree(os.path.join(directory, "disk"), os.path.join(directory, "kept"), ignore_dangling_symlinks=True)
    except Exception as e:
        failure = failure or f"{type(e).__name__}: {e}"
    except BaseException:  # an interrupt: nothing is kept of a cycle that has not come to its end
        shutil.rmtree(directory, ignore_errors=True)
        raise
    seconds = time.monotonic() - began
    print(f"{row} cycle={number} seed={seed} faults={cycle.faults} records={cycle.checked} seconds={seconds:.1f} "
          + (f"FAILED {failure}" if failure else "ok"), flush=True)
    if failure:
        again = f"--rows {row} --cycles 1 --seed {seed}" + " --quick" * given.quick + " --sabotage" * given.sabotage
        if row == "R36":
            again += f" --minutes {cycle.minutes:g} --rate {given.rate} --budget {given.budget}"
        print(f"  kept: {directory}\n  again: python3 reliability/run.py {again}", flush=True)
    else:
        shutil.rmtree(directory)
    return {"cycles": 1, "faults": cycle.faults, "records": cycle.checked, "seconds": seconds,
            "seeds": [seed], "failures": [seed] if failure else [], "figures": cycle.figures, "sums": cycle.sums}


def add(total, one):
    for name in ("cycles", "faults", "records", "seconds", "failures"):
        total[name] = total.get(name, type(one[name])()) + one[name]
    seeds = total.get("seeds", []) + one.get("seeds", [])
    total["seeds"] = [min(seeds), max(seeds)] if seeds else []
    figures = total.setdefault("figures", {})
    for name, value in one["figures"].items():
        figures[name] = max(value, figures.get(name, value))
    sums = total.setdefault("sums", {})
    for name, value in one.get("sums", {}).items():
        sums[name] = sums.get(name, 0) + value


def table(totals):
    lines = [("row", "fault", "cycles", "faults", "records checked", "hours", "seeds", "failures", "largest", "sums")]
    for row, total in totals.items():
        lines.append((row, ROWS[row][1], *(f"{total[name]:,}" for name in ("cycles", "faults", "records")),
                      f"{total['seconds'] / 3600:.2f}", " to ".join(map(str, total["seeds"])),
                      " ".join(map(str, [len(total["failures"]), *total["failures"]])),
                      *(", ".join(f"{name}: {value:,}" for name, value in total[kind].items()) for kind in ("figures", "sums"))))
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def run(rows, given):
    """The counts of each row, cycle by cycle, until the time is over."""
    totals = {}
    until = time.monotonic() + given.minutes * 60 if given.minutes else float("inf")
    number = 0
    try:
        while (given.cycles is None or number < given.cycles) and rows:
            for row in rows:
                if time.monotonic() < until:
                    one = run_cycle(row, number, given.seed + number, given)
                    add(totals.setdefault(row, {}), one)  # not before: an interrupt would leave it empty
            number += 1
            if time.monotonic() >= until:
                break
    except (KeyboardInterrupt, SystemExit) as e:
        print("interrupted", flush=True)
        given.ended = e.code if isinstance(e, SystemExit) else 128 + signal.SIGINT
    return totals


def main():
    given = arguments()
    for ends in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ends) != signal.SIG_IGN:  # as nohup has it
            signal.signal(ends, lambda number, _: sys.exit(128 + number))  # by way of what unmounts, and ends all processes
    print(f"reliability: commit={commit()} seed={given.seed} rows={','.join(given.rows)}", flush=True)
    runs_loom = any(row in outside.ROWS for row in given.rows)
    if runs_loom:
        loom.run("--version")  # builds it, if it must
    rows = []
    for row in given.rows:
        if lacks := [need for need in ROWS[row][2] if not (may_mount() if need == "root" else shutil.which(need))]:
            print(f"{row} left out: needs {', '.join(lacks).replace('root', 'root that may mount')}", flush=True)
        else:
            rows.append(row)
    if "R3" in rows and not shutil.which("mkfs.xfs"):
        print("R3 without XFS: needs mkfs.xfs", flush=True)
    with tempfile.TemporaryDirectory(prefix="loom-shared-", dir=given.work) as shared:
        if runs_loom:
            loom.share_classes(shared)
        totals = run(rows, given)
    print(table(totals))
    if given.totals:
        before = {}
        if os.path.exists(given.totals):
            with open(given.totals) as file:
                before = json.load(file)
        for row, total in totals.items():
            add(before.setdefault(row, {}), total)
        with open(given.totals + ".new", "w") as file:
            json.dump(before, file, indent=1)
        os.replace(given.totals + ".new", given.totals)
        print(f"\nall runs of {given.totals}:\n{table(before)}")
    undone = [row for row in given.rows if row not in totals]
    if undone:
        print(f"no cycle of: {', '.join(undone)}")
    if any(total["failures"] for total in totals.values()):
        return 1
    return given.ended or (2 if undone and given.named else 0)


if __name__ == "__main__":
    sys.exit(main())
