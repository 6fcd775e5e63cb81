"""
The application of the case study: a few clients of one Redis server, which print a row for each of their requests.

  load.py HOST PORT CLIENTS REQUESTS_A_SECOND SECONDS SEED > requests.csv < /dev/null

Each client is a process of its own with one connection. It sends a GET or a SET when the next one is due, waits for the answer in recv(),
and prints when it had it (CLOCK_MONOTONIC), which port of its own it used, and how long it waited. A further connection makes Redis sleep
40 ms from time to time: the colleague who tries something out in production. How often it did goes to standard error.
"""
import os, random, socket, sys, time

HEADER = "ts_ns,op,key,conn,latency_ns"
SLEEP = b"*3\r\n$5\r\nDEBUG\r\n$5\r\nSLEEP\r\n$4\r\n0.04\r\n"
ROWS_LENGTH = 3500  # a write to a pipe of up to 4,096 bytes is one piece, so rows of the clients do not mix


def name_process(name):
    """What system calls are traced by."""
    with open("/proc/self/comm", "w") as comm:
        comm.write(name)


def connect(host, port):
    connection = socket.create_connection((host, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def command(random_, number):
    key = b"key:%06d" % random_.randrange(100_000)
    if random_.random() < 0.2:
        return "SET", key, b"*3\r\n$3\r\nSET\r\n$10\r\n%s\r\n$8\r\n%08d\r\n" % (key, number % 10**8)
    return "GET", key, b"*2\r\n$3\r\nGET\r\n$10\r\n%s\r\n" % key


def client(host, port, interval_ns, end_ns, random_):
    name_process("redis-client")
    connection = connect(host, port)
    own_port = connection.getsockname()[1]
    rows, length, number, due = [], 0, 0, time.monotonic_ns()
    while due < end_ns:
        ahead = due - time.monotonic_ns()
        if ahead > 0:
            time.sleep(ahead / 1e9)
        op, key, request = command(random_, number)
        begin = time.monotonic_ns()
        connection.sendall(request)
        connection.recv(4096)
        end = time.monotonic_ns()
        row = b"%d,%s,%s,%d,%d\n" % (end, op.encode(), key, own_port, end - begin)
        if length + len(row) > ROWS_LENGTH:
            os.write(1, b"".join(rows))
            rows, length = [], 0
        rows.append(row)
        length += len(row)
        number += 1
        due = max(due + interval_ns, end - 20 * interval_ns)  # after a stall, it catches up a little, not with everything
    os.write(1, b"".join(rows))


def colleague(host, port, seconds, end_ns):
    """Makes Redis sleep four times."""
    name_process("colleague")
    connection, count = connect(host, port), 0
    while True:
        time.sleep(seconds / 5)
        if count == 4 or time.monotonic_ns() > end_ns:
            break
        connection.sendall(SLEEP)
        connection.recv(4096)
        count += 1
    print("slept", count, file=sys.stderr, flush=True)


def main(host, port, clients, rate, seconds, seed):
    os.write(1, HEADER.encode() + b"\n")
    sys.stdin.read()  # until who reads is ready
    end_ns = time.monotonic_ns() + int(float(seconds) * 1e9)
    interval_ns = int(1e9 / float(rate) * int(clients))
    works = [
        lambda i=i: client(host, int(port), interval_ns, end_ns, random.Random(int(seed) * 1000 + i)) for i in range(int(clients))
    ] + [lambda: colleague(host, int(port), float(seconds), end_ns)]
    processes = []
    for work in works:
        processes.append(os.fork())
        if processes[-1] == 0:
            work()
            os._exit(0)
    failed = [status for _, status in (os.waitpid(process, 0) for process in processes) if status != 0]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
