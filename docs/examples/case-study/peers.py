"""The same questions, asked of Loom's command and sidecar, of files, and of DuckDB; each answer as text, with how long it took."""
import fcntl, http.client, json, os, pty, resource, socket, statistics, struct, subprocess, termios, time

TABLE_COLUMNS, CHART_COLUMNS = 140, 80


def lines(rows):
    return sorted(" ".join("" if cell is None else str(cell) for cell in row) for row in rows)


class Terminal:
    """Runs commands of Loom as at a terminal."""

    def __init__(self, loom, store):
        self.loom = loom
        self.environment = dict(os.environ, LOOM_DIR=store, NO_COLOR="1", TERM="xterm", LC_ALL="C.UTF-8")

    def run(self, arguments, columns=TABLE_COLUMNS):
        """What the command prints, what it says besides, and its seconds, those of the clock and those of the processor."""
        reading, writing = os.pipe()
        begin = time.monotonic()
        process, terminal = pty.fork()
        if process == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
            os.dup2(writing, 2)
            os.closerange(3, 64)
            os.execve(self.loom, [self.loom, *arguments], self.environment)
        os.close(writing)
        out = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # what the end of a terminal is
                break
            if not part:
                break
            out += part
        with os.fdopen(reading, "rb") as messages:
            said = messages.read().decode()
        _, ended, used = os.wait4(process, 0)
        status = os.waitstatus_to_exitcode(ended)
        seconds = time.monotonic() - begin
        os.close(terminal)
        if status != 0:
            raise RuntimeError("%s ended with status %d: %s" % (arguments, status, said))
        return out.decode().replace("\r\n", "\n"), said, (seconds, used.ru_utime + used.ru_stime)


def timed(peer, question, repeats):
    """The answer, the median of the seconds that it takes after a first time, and the mean of the processor's seconds."""
    answer, seconds, cpu = peer.answer(question), [], peer.cpu()
    for _ in range(repeats):
        begin = time.monotonic()
        peer.answer(question)
        seconds.append(time.monotonic() - begin)
    return answer, statistics.median(seconds), (peer.cpu() - cpu) / repeats


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


class Sidecar:
    """Requests to the sidecar, over one connection."""

    def __init__(self, path, process):
        self.connection, self.process = UnixConnection(path), process

    def cpu(self):
        with open("/proc/%d/stat" % self.process, encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def post(self, name, request):
        self.connection.request("POST", "/v1/" + name, json.dumps(request), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        body = response.read().decode()
        if response.status != 200:
            raise RuntimeError("%d: %s" % (response.status, body))
        rows = [json.loads(line) for line in body.splitlines() if line]
        end = rows.pop()["end"]
        assert end["complete"] and end["lost"] == 0, end
        return rows

    def answer(self, question):
        rows = self.post(*question.request)
        if question.answer == ["percentiles"]:
            return sorted(map(str, rows[0]["percentiles"].values()))
        return lines([row["fields"][field] for field in question.answer] for row in rows)


class Files:
    """Lines of shell, in the folder with the files."""

    def __init__(self, directory):
        self.directory = directory

    def cpu(self):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def answer(self, question):
        shell = subprocess.run(["bash", "-c", question.shell], cwd=self.directory, capture_output=True, text=True, check=True)
        return sorted(shell.stdout.splitlines())


class DuckDb:
    """A database of the same files, loaded after the capture. The time of loading is told, as nobody can ask before."""

    TABLES = """
        create table requests as select * from read_csv('{0}/requests.csv');
        create table syscalls as select * from read_csv('{0}/syscalls.csv');
        create table packets as select * from read_csv('{1}', types = {{'payload': 'varchar'}});
    """

    def __init__(self, raw, work, csv_of_packets):
        import duckdb  # pylint: disable=import-outside-toplevel

        self.version = duckdb.__version__
        begin = time.monotonic()
        packets = os.path.join(work, "packets.csv")
        with open(packets, "w", encoding="ascii") as file:
            subprocess.run(csv_of_packets, shell=True, check=True, cwd=raw, stdout=file)
        self.converting = time.monotonic() - begin
        self.database = duckdb.connect(os.path.join(work, "duck.db"))
        self.database.execute(self.TABLES.format(raw, packets))
        self.loading = time.monotonic() - begin

    def cpu(self):
        return time.process_time()

    def answer(self, question):
        return lines(self.database.execute(question.sql).fetchall())
