"""
The questions of the case study, each as a command of Loom, as the same request to the sidecar, as what people do with files, and as SQL.

`answer` names what of a record is compared: all four must say the same.
"""
import os, shlex, sys
from datetime import datetime, timezone

from capture import HERE, PORT, WRONG_PORT

SLOW = 150_000_000  # ns; a packet that is lost is sent again after 200 ms
STALLED = 30_000_000


class Question:
    """One question, in four languages."""

    def __init__(self, name, title, command, request, shell, sql, answer):
        self.name, self.title, self.command, self.request = name, title, command, request
        self.shell, self.sql, self.answer = shell, sql, answer


def rfc3339(ns):
    return datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + ".%06dZ" % (ns % 10**9 // 1000)


def raw(question, *arguments):
    return "%s %s . %s" % (shlex.quote(sys.executable), shlex.quote(os.path.join(HERE, "raw.py")),
                           " ".join([question, *map(str, arguments)]))


def questions(slowest, offset_ns):
    """
    :param slowest: fields of the slowest request, from the answer of the second question
    :param offset_ns: from the monotonic to the wall clock
    """
    end = slowest["ts_ns"] + offset_ns
    begin, conn = (end - slowest["latency_ns"]) // 1000 * 1000 - 10_000, slowest["conn"]
    end = end // 1000 * 1000 + 10_000
    percentiles = ["50", "99", "99.9", "99.99"]
    ranks = " ".join('p(%s);' % p for p in percentiles)
    calls = ["ts_ns", "comm", "name", "latency_ns"]
    ends = ["ts_ns", "sport", "dport"]
    return [
        Question(
            "tail", "percentiles of all latencies",
            ["agg", "requests", "latency_ns", "--percentile", ",".join(percentiles)],
            ("agg", {"source": "requests", "field": "latency_ns", "percentile": percentiles}),
            "tail -n +2 requests.csv | cut -d, -f5 | sort -n | awk '{v[NR]=$1} function p(q, r) {r=NR*q/100; i=int(r); if (i<r) i++;"
            " print v[i]} END {%s}'" % ranks,
            "select unnest(quantile_disc(latency_ns, [%s])) from requests" % ", ".join(str(float(p) / 100) for p in percentiles),
            ["percentiles"]),
        Question(
            "slowest", "the ten slowest requests",
            ["top", "requests", "latency_ns", "-n", "10", "--time", "event", "--fields", "op,key,conn,latency_ns"],
            ("top", {"source": "requests", "field": "latency_ns", "n": 10}),
            "sort -t, -k5,5nr requests.csv | head -n 10 | cut -d, -f1,4,5 | tr , ' '",
            "select ts_ns, conn, latency_ns from requests order by latency_ns desc limit 10",
            ["ts_ns", "conn", "latency_ns"]),
        Question(
            "calls", "slow system calls during slow requests",
            ["correlate", "requests", "latency_ns", "--above", "150ms", "--with", "syscalls", "--overlap", "latency_ns,latency_ns",
             "--with-where", "latency_ns > 150ms", "--distinct", "--fields", "comm,name,latency_ns,ret"],
            ("correlate", {"source": "requests", "field": "latency_ns", "above": "150ms", "with": "syscalls",
                           "overlap": "latency_ns,latency_ns", "with-where": "latency_ns > 150ms", "distinct": True}),
            raw("calls_during", SLOW, 10**18, "any"),
            "select distinct s.ts_ns, comm, name, s.latency_ns from requests r join syscalls s on s.ts_ns >= r.ts_ns - r.latency_ns"
            " and s.ts_ns - s.latency_ns <= r.ts_ns where r.latency_ns > %d and s.latency_ns > %d" % (SLOW, SLOW),
            calls),
        Question(
            "packets", "packets of the slowest request's connection",
            ["scan", "packets", "--time", "event", "--asc", "--from", rfc3339(begin), "--to", rfc3339(end),
             "--where", "sport == %d or dport == %d" % (conn, conn), "--fields", "sport,dport,flags,seq,payload_len"],
            ("scan", {"source": "packets", "time": "event", "asc": True, "from": str(begin), "to": str(end),
                      "where": "sport == %d or dport == %d" % (conn, conn)}),
            "tcpdump -nn -tt --time-stamp-precision=nano -r packets.pcap 'tcp port %d' 2>/dev/null | tr -d .: | "
            "awk '$1 >= %d && $1 < %d' | sed -E 's/^([0-9]+) IP 127001([0-9]+) > 127001([0-9]+) .*/\\1 \\2 \\3/'" % (conn, begin, end),
            "select ts_ns, sport, dport from packets where ts_ns >= %d and ts_ns < %d and (sport = %d or dport = %d)"
            % (begin, end, conn, conn),
            ends),
        Question(
            "wrong", "all packets for another port",
            ["scan", "packets", "--time", "event", "--asc", "--where", "dport != %d and sport != %d" % (PORT, PORT),
             "--fields", "sport,dport,flags,seq,payload_len"],
            ("scan", {"source": "packets", "time": "event", "asc": True, "where": "dport != %d and sport != %d" % (PORT, PORT)}),
            "tcpdump -nn -tt --time-stamp-precision=nano -r packets.pcap 'tcp and not port %d' 2>/dev/null | tr -d .: | "
            "sed -E 's/^([0-9]+) IP 127001([0-9]+) > 127001([0-9]+) .*/\\1 \\2 \\3/'" % PORT,
            "select ts_ns, sport, dport from packets where dport <> %d and sport <> %d" % (PORT, PORT),
            ends),
        Question(
            "all", "each slow request with its mangled packet",
            ["correlate", "requests", "latency_ns", "--above", "150ms", "--with", "packets", "--before", "500ms",
             "--with-where", "dport == %d" % WRONG_PORT, "--fields", "sport,dport,flags,seq,payload_len"],
            ("correlate", {"source": "requests", "field": "latency_ns", "above": "150ms", "with": "packets", "before": "500ms",
                           "with-where": "dport == %d" % WRONG_PORT}),
            raw("packets_before", SLOW, WRONG_PORT, 500_000_000),
            "select p.ts_ns, sport, dport from requests r join packets p on p.ts_ns between r.ts_ns + %d - 500000000 and r.ts_ns + %d"
            " where r.latency_ns > %d and dport = %d" % (offset_ns, offset_ns, SLOW, WRONG_PORT),
            ends),
        Question(
            "stalls", "slow calls of Redis during stalled requests",
            ["correlate", "requests", "latency_ns", "--above", "30ms", "--where", "latency_ns < 150ms", "--with", "syscalls",
             "--overlap", "latency_ns,latency_ns", "--distinct",
             "--with-where", "comm == \"redis-server\" and name != \"epoll_wait\" and latency_ns > 30ms", "--fields", "comm,name,latency_ns,ret"],
            ("correlate", {"source": "requests", "field": "latency_ns", "above": "30ms", "where": "latency_ns < 150ms",
                           "with": "syscalls", "overlap": "latency_ns,latency_ns", "distinct": True,
                           "with-where": "comm == \"redis-server\" and name != \"epoll_wait\" and latency_ns > 30ms"}),
            raw("calls_during", STALLED, SLOW, "redis-server"),
            "select distinct s.ts_ns, comm, name, s.latency_ns from requests r join syscalls s on s.ts_ns >= r.ts_ns - r.latency_ns"
            " and s.ts_ns - s.latency_ns <= r.ts_ns where r.latency_ns > %d and r.latency_ns < %d and s.latency_ns > %d"
            " and comm = 'redis-server' and name <> 'epoll_wait'" % (STALLED, SLOW, STALLED),
            calls),
        Question(
            "sender", "who sent what made Redis sleep",
            ["scan", "packets", "--time", "event", "--asc", "--where", "data contains \"DEBUG\"",
             "--fields", "sport,dport,payload_len"],
            ("scan", {"source": "packets", "time": "event", "asc": True, "where": "data contains \"DEBUG\""}),
            raw("packets_with", "DEBUG"),
            "select ts_ns, sport, dport from packets where contains(payload, '4445425547')",  # in hexadecimal
            ends),
    ]
