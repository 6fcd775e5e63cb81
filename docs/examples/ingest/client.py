"""Sends records to the ingest port of a Loom sidecar: client.py HOST PORT SOURCE [FORMAT] < lines"""
import json, socket, struct, sys, time

HELLO, BATCH, SCHEMA, TAKEN, RETRY, REFUSED = 1, 2, 3, 17, 18, 19

class Sidecar:
    def __init__(self, host, port, token=""):
        self.stream = socket.create_connection((host, port)).makefile("rwb")
        self.limits = self.call(HELLO, {"protocol": 1, "token": token})

    def frame(self, kind, body):
        self.stream.write(struct.pack("<II", len(body), kind) + body)
        self.stream.flush()
        length, kind = struct.unpack("<II", self.stream.read(8))
        body = self.stream.read(length)
        if kind == REFUSED:
            raise RuntimeError(body[8:].decode())
        return kind, body

    def call(self, kind, request):
        while True:
            answered, body = self.frame(kind, json.dumps(request).encode())
            if answered != RETRY:
                return json.loads(body)
            time.sleep(struct.unpack_from("<II", body)[1] / 1000)  # the store can't be written now

    def source(self, name, format):
        return self.call(SCHEMA, {"op": "define-source", "name": name, "format": format})["source"]["id"]

    def push(self, source, payloads):
        while payloads:
            lengths = struct.pack(f"<HHI{len(payloads)}I", source, 0, len(payloads), *map(len, payloads))
            kind, answer = self.frame(BATCH, lengths + b"".join(payloads))
            taken, delay_ms = struct.unpack_from("<II", answer)
            payloads = payloads[taken:]
            time.sleep(delay_ms / 1000)

if __name__ == "__main__":
    sidecar = Sidecar(sys.argv[1], int(sys.argv[2]))
    lines = [line.rstrip(b"\n") for line in sys.stdin.buffer]
    source = sidecar.source(sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "text")
    for i in range(0, len(lines), 1000):
        sidecar.push(source, lines[i : i + 1000])
