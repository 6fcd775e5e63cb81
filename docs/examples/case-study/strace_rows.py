"""
System calls as rows, from what `strace -f -ttt -T` of Redis and of its clients prints: for machines that do not allow eBPF.

Takes the output of one strace at standard input, since a line of strace comes in pieces; several may print rows into one pipe. Times of
strace are those of the wall clock, in microseconds; rows have CLOCK_MONOTONIC, as those of syscalls.bt. strace stops each process twice a
call, so requests are several times as slow.
"""
import os, re, signal, sys, time

TRACED = ("redis-server", "redis-client")
LINE = re.compile(r"(\d+) +(\d+)\.(\d{6}) (?:<\.\.\. )?(\w+)(\(| resumed>)(.*)")
END = re.compile(r".* = (-?\d+|0x[0-9a-f]+|\?).* <(\d+)\.(\d{6})>$")


def name_of(process, known={}):
    """What the process calls itself; asked again until it is one that is traced."""
    if process not in known:
        try:
            with open("/proc/%s/comm" % process, encoding="ascii") as file:
                name = file.read().strip()
        except OSError:
            return ""
        if name not in TRACED:
            return name
        known[process] = name
    return known[process]


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for strace, whose end is the end of the input
    monotonic_ns = time.monotonic_ns() - time.time_ns()
    for line in sys.stdin:
        call, end = LINE.match(line), END.match(line)
        if not call or not end or name_of(call[1]) not in TRACED:
            continue
        time_ns = int(call[2]) * 10**9 + int(call[3]) * 1000 + monotonic_ns
        latency_ns = int(end[2]) * 10**9 + int(end[3]) * 1000
        if call[5] == "(":  # the time is the beginning; that of a resumed call is the end
            time_ns += latency_ns
        result = "" if end[1] == "?" else int(end[1], 0)
        row = "%d,%s,%s,,%s,%d,%s\n" % (time_ns, call[1], name_of(call[1]), call[4], latency_ns, result)
        os.write(1, row.encode())  # in one piece


if __name__ == "__main__":
    main()
