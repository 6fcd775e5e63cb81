#!/usr/bin/env python3
"""
The case study of docs/case-study-redis.md, on this machine: captures Redis under load, finds out why some of its requests are slow, and
asks the same of files and of DuckDB.

  sudo python3 docs/examples/case-study/case_study.py [--seconds 60] [--dir DIRECTORY] [--write]

Needs Linux, root, Python 3.10 or newer, and redis-server, bpftrace (or strace), tcpdump, nft, iproute2 and util-linux; with duckdb (requirements.txt) for this
Python, also its answers. Leaves nothing behind but DIRECTORY, if it is given. --write puts commands, answers and times into the guide.
Exit status: 0, and 77 if this machine lacks or forbids something that it needs.
"""
import argparse, json, os, re, shlex, shutil, signal, subprocess, sys, tempfile, time
from datetime import datetime, timezone

if sys.version_info < (3, 10):
    print("needs Python 3.10 or newer", file=sys.stderr)
    sys.exit(77)

from capture import HERE, PORT, WRONG_PORT, Capture, Missing, missing_programs, say
from peers import CHART_COLUMNS, TABLE_COLUMNS, DuckDb, Files, Sidecar, Terminal, timed
from questions import SLOW, STALLED, questions, raw

ROOT = os.path.normpath(os.path.join(HERE, "../../.."))
GUIDE = os.path.join(ROOT, "docs/case-study-redis.md")
PROGRAMS = ["redis-server", "tcpdump", "nft", "ip", "unshare", "nsenter"]
INDEXES = [("requests", "latency_ns"), ("syscalls", "latency_ns"), ("packets", "dport")]
LEFT_OUT = 77


class Story:
    """What is shown: commands with their answers, and tables; printed, and written into the guide on demand."""

    def __init__(self, terminal, work):
        self.terminal, self.work, self.blocks = terminal, work, {}

    def tell(self, name, *commands):
        """Runs commands; the seconds of the last, by the clock and by the processor."""
        shown, seconds = [], (0, 0)
        for arguments in commands:
            out, said, seconds = self.terminal.run(arguments, CHART_COLUMNS if arguments[0] == "hist" else TABLE_COLUMNS)
            command = " ".join(["./loom", *map(shlex.quote, arguments)]).replace(self.work, "DIRECTORY")
            shown.append("$ %s\n%s%s# %.2f s" % (command, said, out, seconds[0]))
        self.add(name, "```console\n%s\n```" % "\n".join(shown))
        return seconds

    def add(self, name, block):
        self.blocks[name] = block
        print(block + "\n", flush=True)

    def write(self):
        with open(GUIDE, encoding="utf-8") as file:
            text = file.read()
        for name, block in self.blocks.items():
            pattern = re.compile(r"(<!-- %s -->\n).*?(\n<!-- end -->)" % name, re.DOTALL)
            text, count = pattern.subn(lambda match, block=block: match[1] + block + match[2], text)
            if count != 1:
                raise RuntimeError("the guide has %d places for %s" % (count, name))
        with open(GUIDE, "w", encoding="utf-8") as file:
            file.write(text)


def milliseconds(seconds):
    return "%.0f ms" % (seconds * 1e3) if seconds < 1 else "%.1f s" % seconds


def cell(seconds, cpu):
    return "%s (%s)" % (milliseconds(seconds), milliseconds(cpu))


def capture(running, story, options):
    """All streams into the sidecar; what the packet filter and the colleague say that they did."""
    running.serve()
    running.redis()
    running.filter_packets(options.seconds)
    running.trace_packets()
    running.trace_calls(options.calls)

    def meanwhile():
        time.sleep(options.seconds / 3)
        story.tell("live", ["agg", "requests", "latency_ns", "--since", "5s", "--percentile", "50,99.9,100"])
        to_sidecar = ["--backfill", "--to-sidecar", "unix:" + running.ingest]
        story.tell("indexes", *(["index", "add", source, field, *to_sidecar] for source, field in INDEXES))

    begin = time.monotonic()
    truth = running.run(options.clients, options.rate, options.seconds, options.seed, meanwhile)
    say("captured in %.1f s: %s" % (time.monotonic() - begin, truth))
    return truth


def drill_down(story, asked):
    """The commands of the guide in their order; the seconds of those that others are asked too."""
    by_name = {question.name: question for question in asked}
    seconds = {}
    story.tell("sources", ["sources"])
    seconds["tail"] = story.tell("tail", by_name["tail"].command)
    story.tell("heat", ["hist", "requests", "latency_ns", "--by", "value,time", "--time", "event"])
    for name in ("slowest", "calls", "packets"):
        seconds[name] = story.tell(name, by_name[name].command)
    story.tell("ports", ["values", "packets", "dport", "--where", "sport != %d" % PORT])
    for name in ("wrong", "all", "stalls", "sender"):
        seconds[name] = story.tell(name, by_name[name].command)
    return seconds


def compare(asked, seconds, sidecar, running, work, repeats):
    """Asks the others, checks that all say the same, and returns the table of times."""
    files, database = Files(running.raw), None
    try:
        database = DuckDb(running.raw, work, raw("as_csv"))
    except ImportError:
        say("duckdb is not installed for this Python: its column is left out")
    rows, answers = [], {}
    for question in asked:
        answer, *taken = timed(sidecar, question, repeats)
        cells = [question.title, cell(*seconds[question.name]), cell(*taken)]
        answers[question.name] = answer
        for peer in (files, database):
            if peer is None:
                cells.append("-")
                continue
            other, *taken = timed(peer, question, repeats)
            cells.append(cell(*taken))
            if other != answer:
                raise AssertionError("%s: %s says %s, the sidecar %s" % (question.name, peer, other[:20], answer[:20]))
        rows.append("| %s |" % " | ".join(cells))
        say(rows[-1])
    header = ["question", "`./loom`, a process each", "the sidecar", "grep, sort, awk, tcpdump, Python",
              "DuckDB " + database.version if database else "DuckDB"]
    table = "| %s |\n|%s\n%s" % (" | ".join(header), "---|" * len(header), "\n".join(rows))
    if database:
        table += "\n\nBefore its first answer, DuckDB took %s to load the files, %s of it to turn packets into CSV." % (
            milliseconds(database.loading), milliseconds(database.converting))
    return table, answers


def check_truth(truth, answers, counts, sidecar):
    """Compares what was found with what was planted; what holds."""
    holds = []

    def check(what, condition):
        if not condition:
            raise AssertionError("%s: %s, %s" % (what, truth, counts))
        holds.append(what)

    check("what is in the store is what is in the files: %s" % ", ".join(
        "%d %s" % (count, name) for name, count in counts["in files"].items()), counts["in files"] == counts["in the store"])
    check("as many packets have the wrong port as the filter mangled: %d" % truth["mangled"],
          sum(line.endswith(" %d" % WRONG_PORT) for line in answers["wrong"]) == truth["mangled"])
    slept = [line for line in answers["stalls"] if "nanosleep" in line]
    check("Redis slept as often as it was told to: %d" % truth["slept"], len(slept) == truth["slept"] == len(answers["sender"]))
    pairs = {line.split()[0] for line in answers["all"]}
    wrong = sidecar.post("scan", {"source": "packets", "where": "dport == %d" % WRONG_PORT})
    ports = {row["value"] for row in sidecar.post("values", {"source": "requests", "field": "conn"})}
    ours = {str(row["fields"]["ts_ns"]) for row in wrong if row["fields"]["sport"] in ports}
    check("each mangled packet of a client made a request slow: %d" % len(ours), ours <= pairs)
    return "```\n%s\nlost before Loom: %d calls, %d packets\n```" % ("\n".join(holds), truth["calls_lost"], truth["packets_lost"])


def answers_begin_well(slowest, sidecar):
    """Whether the slowest request is one whose packet was mangled, as the guide says."""
    conn = "sport == %d and dport == %d" % (slowest["conn"], WRONG_PORT)
    return sidecar.post("scan", {"source": "packets", "where": conn}) and slowest["latency_ns"] < 2 * SLOW


def count_rows(raw_files, sidecar):
    def rows(file):
        with open(os.path.join(raw_files, file), "rb") as data:
            return sum(1 for line in data if line.strip()) - 1

    with open(os.path.join(raw_files, "packets.pcap"), "rb") as data:
        packets, position = 0, data.seek(24)
        while len(head := data.read(16)) == 16:
            position = data.seek(int.from_bytes(head[8:12], "little"), os.SEEK_CUR)
            packets += 1
    stored = {row["name"]: row["records"] for row in sidecar.post("sources", {})}
    return {
        "in files": {"requests": rows("requests.csv"), "syscalls": rows("syscalls.csv"), "packets": packets},
        "in the store": {name: stored[name] for name in ("requests", "syscalls", "packets")},
    }


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        cpu = re.search(r"model name\s*: (.*)", file.read())
    java = subprocess.run([os.path.join(os.environ["JAVA_HOME"], "bin/java") if "JAVA_HOME" in os.environ else "java", "-version"],
                          capture_output=True, text=True, check=True).stderr
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return "%d processors (%s), Linux %s, JDK %s, load average %s, %s, commit %s" % (
        os.cpu_count(), cpu[1] if cpu else os.uname().machine, os.uname().release.split("-")[0], re.search(r'"(.*?)"', java)[1],
        os.getloadavg()[1].__round__(1), datetime.now(timezone.utc).date(), commit)


def study(options, directory):
    running = Capture(directory, options.loom)
    story = Story(Terminal(running.loom, running.store), running.directory)
    try:
        running.command("help")  # builds, if that is necessary
        with open(os.path.join(running.raw, "clock.json"), "w", encoding="ascii") as file:
            json.dump({"wall_ns": time.time_ns(), "monotonic_ns": time.monotonic_ns()}, file)
        truth = capture(running, story, options)
        with open(os.path.join(running.raw, "clock.json"), encoding="ascii") as file:
            clock = json.load(file)
        sidecar = Sidecar(running.http, running.sidecar.pid)
        counts = count_rows(running.raw, sidecar)
        slowest = sidecar.post("top", {"source": "requests", "field": "latency_ns", "n": 1})[0]["fields"]
        if options.write and not answers_begin_well(slowest, sidecar):
            raise RuntimeError("the slowest request has a cause that nobody planted: this machine is too busy for the guide")
        asked = questions(slowest, clock["wall_ns"] - clock["monotonic_ns"])
        seconds = drill_down(story, asked)
        table, answers = compare(asked, seconds, sidecar, running, directory, options.repeats)
        story.add("times", "%s.\n\n%s" % (machine(), table))
        story.add("truth", check_truth(truth, answers, counts, sidecar))
        if options.write:
            story.write()
    finally:
        running.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loom", default=os.path.join(ROOT, "loom"), help="the command")
    parser.add_argument("--dir", help="where store and files stay; by default nothing stays")
    parser.add_argument("--seconds", type=int, default=60, help="of load")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rate", type=int, default=4000, help="requests a second, of all clients")
    parser.add_argument("--seed", type=int, default=7, help="of keys and commands")
    parser.add_argument("--repeats", type=int, default=3, help="how often each question is asked again, for its time")
    parser.add_argument("--calls", choices=["bpftrace", "strace"], help="what traces system calls; by default what works")
    parser.add_argument("--write", action="store_true", help="writes commands, answers and times into the guide")
    options = parser.parse_args()
    for ends in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ends) != signal.SIG_IGN:  # as nohup has it
            signal.signal(ends, lambda number, _: sys.exit(128 + number))  # by way of what ends all processes
    if os.getuid() != 0:
        sys.exit("case_study.py needs root: for bpftrace, tcpdump and a network namespace")
    missing = missing_programs(PROGRAMS)
    directory = options.dir or tempfile.mkdtemp(prefix="loom-case-study-")
    try:
        if missing:
            raise Missing("not installed: " + ", ".join(missing))
        os.makedirs(directory, exist_ok=True)
        study(options, directory)
    except Missing as failed:
        say("the case study is left out: %s" % failed)
        sys.exit(LEFT_OUT)
    finally:
        if not options.dir:
            shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
