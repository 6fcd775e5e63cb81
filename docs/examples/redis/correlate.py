#!/usr/bin/env python3
"""What the requests above a percentile waited for, told from the files of a Redis capture alone.

    correlate.py DIRECTORY [PERCENTILE] [WITHIN_NS]

DIRECTORY holds requests.csv, syscalls.csv, packets.pcap (each plain or .gz) and clock.json. Prints one line for each
request whose latency is above the percentile (99.99 by default, nearest rank), each system call whose
[end - latency, end] overlaps that of such a request, and each packet (its length and CRC-32) at most WITHIN_NS (5 ms) from
the end of one.
Everything is by the records' own times. It knows nothing of Loom: a test compares what `loom` answers with it.
"""

import csv
import gzip
import json
import math
import os
import struct
import sys
import zlib
from fractions import Fraction


def open_bytes(directory, name):
    plain = os.path.join(directory, name)
    return open(plain, "rb") if os.path.exists(plain) else gzip.open(plain + ".gz", "rb")


def rows(directory, name):
    with open_bytes(directory, name) as file:
        for row in csv.DictReader(line.decode() for line in file):
            yield {key: int(value) if value.lstrip("-").isdigit() else value for key, value in row.items()}


def clock(directory):
    """A function from monotonic to wall time, along the line through both readings of both clocks."""
    with open(os.path.join(directory, "clock.json"), encoding="utf-8") as file:
        pair = json.load(file)
    start, end = pair["start"], pair["end"]
    run = end["monotonic_ns"] - start["monotonic_ns"]
    rate = Fraction(end["wall_ns"] - start["wall_ns"], run)
    return lambda ns: start["wall_ns"] + math.floor((ns - start["monotonic_ns"]) * rate + Fraction(1, 2))


def packets(directory):
    """Wall time and captured bytes of each packet of a classic pcap file with microseconds."""
    with open_bytes(directory, "packets.pcap") as file:
        data = file.read()
    magic = struct.unpack_from("<I", data)[0]
    assert magic == 0xA1B2C3D4, hex(magic)
    at = 24
    while at < len(data):
        seconds, micros, captured, _ = struct.unpack_from("<IIII", data, at)
        yield seconds * 1_000_000_000 + micros * 1_000, data[at + 16 : at + 16 + captured]
        at += 16 + captured


def main(directory, percentile="99.99", within_ns="5000000"):
    wall = clock(directory)
    requests = list(rows(directory, "requests.csv"))
    latencies = sorted(request["latency_ns"] for request in requests)
    rank = math.ceil(Fraction(percentile) / 100 * len(latencies))
    threshold = latencies[max(rank, 1) - 1]
    print("percentile", threshold)
    slow = [request for request in requests if request["latency_ns"] > threshold]
    spans = []
    for request in slow:
        end = wall(request["ts_ns"])
        spans.append((end - request["latency_ns"], end))
        print("request", end, request["latency_ns"], request["op"], request["key"])
    for call in rows(directory, "syscalls.csv"):
        end = wall(call["ts_ns"])
        begin = end - call["latency_ns"]
        for request_begin, request_end in spans:
            if begin <= request_end and request_begin <= end:
                print("syscall", end, call["latency_ns"], call["syscall"], call["ret"], "cause", request_end)
    for time, data in packets(directory):
        for _, request_end in spans:
            if abs(time - request_end) <= int(within_ns):
                print("packet", time, len(data), zlib.crc32(data), "cause", request_end)


if __name__ == "__main__":
    main(*sys.argv[1:])
