"""
Captures a Redis server under load: its clients' requests, the system calls of both by bpftrace, and the packets between them by tcpdump,
each through a pipe into the ingest port of one sidecar. A copy of each stream goes to a file, for those who would rather use grep.

Redis, its clients and the packet filter have a network namespace of their own, so nothing of the machine's network is touched, and
nothing is left behind. Two causes are planted: a packet filter that now and then turns one bit of the port that a packet is for, and
a colleague who makes Redis sleep (load.py).
"""
import json, os, platform, re, shlex, shutil, signal, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 6399
WRONG_PORT = 6391  # one bit of PORT is wrong
PIPE_LENGTH = 1 << 20  # who writes must not wait for a process that just starts
TRACING = "/sys/kernel/tracing"
FAULTS = 6  # packets for the wrong port, in a whole run

REQUESTS = "ts_ns:i64,op:utf8,key:utf8,conn:u16,latency_ns:i64"
CALLS = "ts_ns:i64,tid:i32,comm:utf8,syscall:i32,name:utf8,latency_ns:i64,ret:i64"
REQUESTS_FORM, CALLS_FORM = (
    ["csv", "--types", types, "--event-time", "ts_ns", "--event-clock", "monotonic"] for types in (REQUESTS, CALLS))

# numbers of the calls that Redis and its clients make; others have their number alone
NAMES = {
    "x86_64": "read 0 write 1 close 3 mmap 9 munmap 11 brk 12 select 23 madvise 28 sendto 44 recvfrom 45 getsockname 51 setsockopt 54"
    " fcntl 72 futex 202 clock_nanosleep 230 epoll_wait 232 epoll_ctl 233 openat 257 pselect6 270 accept4 288",
    "aarch64": "epoll_ctl 21 epoll_pwait 22 fcntl 25 openat 56 close 57 read 63 write 64 pselect6 72 futex 98 clock_nanosleep 115"
    " getsockname 204 sendto 206 recvfrom 207 setsockopt 208 brk 214 munmap 215 mmap 222 madvise 233 accept4 242",
}

# The application comes before those who watch it. Where the kernel groups processes by session, a process' priority counts within its group.
FIRST = ["sh", "-c", "echo -10 2>/dev/null >/proc/self/autogroup; exec nice -n -10 \"$@\"", "first"]

RULES = """
table ip case_study {
  counter mangled {}
  chain filter {
    type filter hook output priority 0;
    tcp dport %d tcp flags & psh == psh limit rate %d/minute burst 1 packets counter name mangled tcp dport set %d
  }
}
"""


class Missing(Exception):
    """Something that this machine does not have or allow."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def wait_for(what, done, seconds=60, process=None):
    end = time.monotonic() + seconds
    while not done():
        if process is not None and process.poll() is not None:
            raise Missing("%s ended with status %d" % (what, process.returncode))
        if time.monotonic() > end:
            raise Missing("%s took more than %d s" % (what, seconds))
        time.sleep(0.05)


class Capture:
    """What runs during the capture; ended by close()."""

    def __init__(self, directory, loom):
        self.directory, self.loom = os.path.abspath(directory), os.path.abspath(loom)
        self.store, self.raw = os.path.join(self.directory, "store"), os.path.join(self.directory, "raw")
        self.ingest, self.http = os.path.join(self.directory, "ingest.sock"), os.path.join(self.directory, "http.sock")
        self.processes, self.imports, self.probes, self.load_prefix = [], {}, [], []
        self.load_pipes, self.trace_pipe, self.mounted = {}, None, False
        os.makedirs(self.raw)

    def path(self, *parts):
        return os.path.join(self.directory, *parts)

    def start(self, name, command, inside=False, **pipes):
        """Starts a process, in the network namespace if it is to be inside; its messages go to a log."""
        if inside:
            command = ["nsenter", "--net=/proc/%d/ns/net" % self.namespace.pid, "--"] + command
        with open(self.path(name + ".log"), "ab") as log:
            pipes.setdefault("stdin", subprocess.DEVNULL)
            pipes.setdefault("stdout", log)
            try:
                process = subprocess.Popen(command, stderr=log, cwd=self.directory, start_new_session=True, **pipes)
            except FileNotFoundError as missing:
                raise Missing("%s is not installed" % missing.filename) from None
        self.processes.append(process)
        return process

    def log(self, name):
        with open(self.path(name + ".log"), encoding="utf-8", errors="replace") as log:
            return log.read()

    def inside(self, command, **more):
        prefix = ["nsenter", "--net=/proc/%d/ns/net" % self.namespace.pid, "--"]
        return subprocess.run(prefix + command, check=True, capture_output=True, text=True, **more).stdout

    def command(self, *arguments):
        """A command of Loom that is part of the preparation."""
        done = subprocess.run([self.loom, *arguments], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise Missing("loom %s fails, see above: exit code %d" % (arguments[0], done.returncode))
        return done.stdout

    def serve(self):
        """The one process that writes the store, with the formats and indexes of what will come."""
        sidecar = self.start("sidecar", [
            self.loom, "serve", "--dir", self.store, "--ingest", "unix:" + self.ingest, "--http", "unix:" + self.http])
        wait_for("loom serve", lambda: os.path.exists(self.ingest) and os.path.exists(self.http), process=sidecar)
        self.sidecar = sidecar

    def into_sidecar(self, source, file, form, command, inside=False, **pipes):
        """command | tee FILE | loom import --to-sidecar"""
        read = self.start(source, command, inside, stdout=subprocess.PIPE, pipesize=PIPE_LENGTH, **pipes)
        copy = self.start(source, ["tee", os.path.join(self.raw, file)], stdin=read.stdout, stdout=subprocess.PIPE, pipesize=PIPE_LENGTH)
        to = ["import", "--to-sidecar", "unix:" + self.ingest, "--source", source, "--format", *form, "-"]
        self.imports[source] = self.start("import-" + source, [self.loom, *to], stdin=copy.stdout)
        read.stdout.close()
        copy.stdout.close()
        return read

    def redis(self):
        """A network namespace with Redis in it."""
        self.namespace = self.start("namespace", ["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        wait_for("unshare", lambda: os.readlink("/proc/%d/ns/net" % self.namespace.pid) != own, process=self.namespace)
        self.inside(["ip", "link", "set", "lo", "up"])
        version = subprocess.run(["redis-server", "--version"], capture_output=True, text=True).stdout
        major = int(re.search(r"v=(\d+)", version)[1])
        server = self.start("redis", [
            *FIRST, "redis-server", "--port", str(PORT), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
            *(["--enable-debug-command", "yes"] if major >= 7 else [])], inside=True)
        wait_for("redis-server", lambda: "eady to accept connections" in self.log("redis"), process=server)
        self.server = server

    def filter_packets(self, seconds):
        """The packet filter with the bug."""
        try:
            self.inside(["nft", "-f", "-"], input=RULES % (PORT, max(1, round(FAULTS * 60 / seconds)), WRONG_PORT))
        except (subprocess.CalledProcessError, FileNotFoundError) as failed:
            raise Missing("nft: %s" % (getattr(failed, "stderr", None) or failed)) from None

    def mangled(self):
        """How many packets the filter says that it mangled."""
        return int(re.search(r"packets (\d+)", self.inside(["nft", "list", "counters"]))[1])

    def trace_packets(self):
        self.probes.append(self.into_sidecar("packets", "packets.pcap", ["pcap"], [
            "tcpdump", "-i", "lo", "-s", "128", "-B", "32768", "--time-stamp-precision=nano", "-Z", "root", "-w", "-", "tcp"],
            inside=True))
        wait_for("tcpdump", lambda: "listening on" in self.log("packets"), process=self.probes[-1])

    def trace_calls(self, tool=None):
        """System calls by eBPF, or by strace where that is not allowed; which of them."""
        if tool != "strace":
            try:
                self.trace_by_bpftrace()
                return "bpftrace"
            except Missing as missing:
                last = self.log("syscalls").strip().rsplit("\n", 1)[-1]
                say("%s: %s; system calls come from strace" % (missing, last))
        self.trace_by_strace()
        return "strace"

    def trace_by_strace(self):
        reading, writing = os.pipe()
        self.into_sidecar("syscalls", "syscalls.csv", CALLS_FORM, ["cat"], stdin=reading)
        os.close(reading)
        os.write(writing, b"ts_ns,tid,comm,syscall,name,latency_ns,ret\n")
        rows = shlex.join([sys.executable, os.path.join(HERE, "strace_rows.py")])
        strace = ["strace", "-f", "-qq", "-ttt", "-T", "-e", "signal=none", "-o", "|%s >&%d" % (rows, writing)]
        self.probes.append(self.start("strace", [*strace, "-p", str(self.server.pid)], pass_fds=[writing]))
        self.load_prefix, self.load_pipes = strace, {"pass_fds": [writing]}
        file = os.path.join(self.raw, "syscalls.csv")
        wait_for("strace", lambda: os.path.exists(file) and os.path.getsize(file) > 100, process=self.probes[-1])
        self.trace_pipe = writing

    def trace_by_bpftrace(self):
        with open(os.path.join(HERE, "syscalls.bt"), encoding="utf-8") as program:
            words = NAMES.get(platform.machine(), "").split()
            names = " ".join('@name[%s] = "%s";' % (number, name) for name, number in zip(words[::2], words[1::2]))
            text = re.sub("// NAMES.*", names, program.read())
        with open(self.path("syscalls.bt"), "w", encoding="utf-8") as program:
            program.write(text)
        if not os.path.exists(os.path.join(TRACING, "events")) and not os.path.exists("/sys/kernel/debug/tracing/events"):
            mount = ["mount", "-t", "tracefs", "tracefs", TRACING]
            self.mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0
        suspended_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        os.environ["BPFTRACE_PERF_RB_PAGES"] = "4096"
        probe = self.into_sidecar("syscalls", "syscalls.csv", CALLS_FORM, [
            "bpftrace", "-q", "-B", "full", self.path("syscalls.bt"), str(suspended_ns if suspended_ns > 1_000_000 else 0)])
        file = os.path.join(self.raw, "syscalls.csv")
        # Redis looks after itself ten times a second, which fills the first buffer
        wait_for("bpftrace", lambda: os.path.exists(file) and os.path.getsize(file) > 0, process=probe)
        self.probes.append(probe)

    def run(self, clients, rate, seconds, seed, meanwhile):
        """The load; what is asked meanwhile; and the end of all streams."""
        asked = [str(argument) for argument in (PORT, clients, rate, seconds, seed)]
        load = self.into_sidecar("requests", "requests.csv", REQUESTS_FORM, [
            *FIRST, *self.load_prefix, sys.executable, os.path.join(HERE, "load.py"), "127.0.0.1", *asked],
            inside=True, stdin=subprocess.PIPE, **self.load_pipes)
        # the import is there once it has read the header
        wait_for("loom import", lambda: "monotonic clock" in self.log("import-requests"), process=self.imports["requests"])
        load.stdin.close()
        meanwhile()
        if load.wait() != 0:
            raise Missing("the load failed: " + self.log("requests"))
        mangled = self.mangled()
        self.imports["requests"].wait()
        time.sleep(1)  # buffers of the kernel
        for probe in self.probes:
            os.killpg(probe.pid, signal.SIGINT)
        if self.trace_pipe is not None:
            os.close(self.trace_pipe)
            self.trace_pipe = None
        for source, importing in self.imports.items():
            if importing.wait() != 0:
                raise Missing("the import of %s failed: %s" % (source, self.log("import-" + source)))
        truth = {
            "mangled": mangled,
            "slept": int(re.search(r"slept (\d+)", self.log("requests"))[1]),
            "calls_lost": sum(map(int, re.findall(r"Lost (\d+) events", self.log("syscalls")))),
            "packets_lost": int(re.search(r"(\d+) packets dropped by kernel", self.log("packets"))[1]),
        }
        with open(self.path("truth.json"), "w", encoding="utf-8") as file:
            json.dump(truth, file)
        return truth

    def close(self):
        for process in reversed(self.processes):
            self.signal_group(process, signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                self.signal_group(process, signal.SIGKILL)
                process.wait()
        if self.mounted:
            subprocess.run(["umount", TRACING], check=False, capture_output=True)

    @staticmethod
    def signal_group(process, number):
        """To the process and those that it started."""
        if process.poll() is None:
            os.killpg(process.pid, number)


def missing_programs(programs):
    return [program for program in programs if shutil.which(program) is None]
