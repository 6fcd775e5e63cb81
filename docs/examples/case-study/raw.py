"""
The questions of the case study, asked of the files alone: raw.py DIRECTORY QUESTION [ARGUMENT..]

What no line of shell can say, as two files have to be read together. An answer is one line of numbers and words for each record.
"""
import csv, json, os, struct, sys


def rows(directory, file):
    with open(os.path.join(directory, file), newline="", encoding="ascii") as text:
        for row in csv.DictReader(text):
            if row.get("latency_ns"):
                row["ts_ns"], row["latency_ns"] = int(row["ts_ns"]), int(row["latency_ns"])
                yield row


def packets(directory):
    """Time, ports and payload of each packet; all are of IPv4 and TCP, on Ethernet."""
    with open(os.path.join(directory, "packets.pcap"), "rb") as file:
        assert struct.unpack("<I", file.read(24)[:4])[0] == 0xA1B23C4D
        while head := file.read(16):
            seconds, ns, length, _ = struct.unpack("<IIII", head)
            data = file.read(length)
            tcp = 14 + (data[14] & 15) * 4
            yield seconds * 10**9 + ns, *struct.unpack_from(">HH", data, tcp), data[tcp + (data[tcp + 12] >> 4) * 4 :]


def calls_during(directory, above, below, comm):
    """Calls that took longer than ABOVE, during requests that took between ABOVE and BELOW; of one process those that did something."""
    above, below = int(above), int(below)
    spans = [(r["ts_ns"] - r["latency_ns"], r["ts_ns"]) for r in rows(directory, "requests.csv") if above < r["latency_ns"] < below]
    for call in rows(directory, "syscalls.csv"):
        idle = call["comm"] == comm and call["name"] == "epoll_wait"
        if call["latency_ns"] > above and comm in ("any", call["comm"]) and not idle:
            begin, end = call["ts_ns"] - call["latency_ns"], call["ts_ns"]
            if any(begin <= last and first <= end for first, last in spans):
                print(call["ts_ns"], call["comm"], call["name"], call["latency_ns"])


def packets_before(directory, above, port, window):
    """Packets for PORT that were on the wire at most WINDOW before the end of a request that took longer than ABOVE."""
    with open(os.path.join(directory, "clock.json"), encoding="ascii") as file:
        clock = json.load(file)
    offset = clock["wall_ns"] - clock["monotonic_ns"]
    ends = [r["ts_ns"] + offset for r in rows(directory, "requests.csv") if r["latency_ns"] > int(above)]
    for time, source, target, _ in packets(directory):
        for end in ends:
            if target == int(port) and end - int(window) <= time <= end:
                print(time, source, target)


def packets_with(directory, text):
    """Packets that have TEXT."""
    for time, source, target, payload in packets(directory):
        if text.encode() in payload:
            print(time, source, target)


def as_csv(directory):
    """The packets as CSV, for a database that can't read what tcpdump writes."""
    print("ts_ns,sport,dport,payload")
    for time, source, target, payload in packets(directory):
        print("%d,%d,%d,%s" % (time, source, target, payload.hex()))


if __name__ == "__main__":
    globals()[sys.argv[2]](sys.argv[1], *sys.argv[3:])
