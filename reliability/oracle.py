"""What the records of a run must be. Knows only a seed, a stream and a sequence; shares nothing with the store."""
import hashlib
import struct
import zlib

HEADER = struct.Struct("<IIQI")  # CRC-32 of all that follows it, stream, sequence, length


class Violation(Exception):
    """The store broke a promise."""


def require(condition, message):
    if not condition:
        raise Violation(message() if callable(message) else message)


class Stream:
    """A sequence of records of one source."""

    def __init__(self, seed, number, scale=1):
        self.seed, self.number, self.scale = seed, number, scale

    def payload(self, sequence):
        key = b"%d/%d/%d" % (self.seed, self.number, sequence)
        choice = int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "little")
        kind, choice = choice % 1000, choice >> 10
        if kind < 900:
            length = choice % 280
        elif kind < 990:
            length = choice % 4_000
        elif kind < 999:
            length = choice % 40_000
        else:
            length = 65_000 + choice % 100_000  # longer than a page of the log
        length = HEADER.size + length * self.scale
        # four times the same, so that segments can be compressed
        body = (hashlib.shake_128(key).digest((length - HEADER.size) // 4 + 1) * 4)[:length - HEADER.size]
        rest = HEADER.pack(0, self.number, sequence, length)[4:] + body
        return struct.pack("<I", zlib.crc32(rest)) + rest

    def sequence(self, payload):
        """The sequence of a payload, all of which is what it must be."""
        if len(payload) < HEADER.size:
            raise Violation(f"invented or torn: stream={self.number}, length={len(payload)}")
        crc, number, sequence, length = HEADER.unpack_from(payload)
        if crc != zlib.crc32(payload[4:]) or length != len(payload):
            raise Violation(f"torn: stream={self.number}, claims stream={number}, sequence={sequence}, length={length}")
        if number != self.number or payload != self.payload(sequence):
            raise Violation(f"invented: stream={self.number}, claims stream={number}, sequence={sequence}")
        return sequence


class Run:
    """The sequences of a stream as they are read, in the order of the log."""

    def __init__(self, first, next, count):
        self.first, self.next, self.count = first, next, count

    @staticmethod
    def contiguous(stream, payloads):
        """No hole, nothing doubled, nothing out of order."""
        first = next = None
        count = 0
        for payload in payloads:
            sequence = stream.sequence(payload)
            if next is not None and sequence != next:
                what = "doubled or out of order" if sequence < next else "hole"
                raise Violation(f"{what}: stream={stream.number}, sequence={sequence}, expected={next}")
            first = sequence if first is None else first
            next = sequence + 1
            count += 1
        return Run(first or 0, next or 0, count)

    @staticmethod
    def increasing(stream, payloads):
        """Nothing doubled, nothing out of order."""
        first, next, count = None, 0, 0
        for payload in payloads:
            sequence = stream.sequence(payload)
            require(sequence >= next, lambda: f"doubled or out of order: stream={stream.number}, sequence={sequence}, expected>={next}")
            first = sequence if first is None else first
            next = sequence + 1
            count += 1
        return Run(first or 0, next, count)
