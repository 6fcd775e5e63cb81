package dev.loom.otlp.server;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A good client: it keeps its connection, sends a request each 5 ms, and again when it is told to come again later. How long each
 * took counts from when it was due, so that a late answer makes those behind it late as well.
 */
final class SteadyClient {
    private static final long PERIOD_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int RECOVERED_ROW = 20;
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final byte[] LOGS = TestRequests.logs("good", 10).toByteArray();

    /** Sends the request, and tells whether it was taken, rather than to be sent again. */
    private interface Call {
        boolean send() throws IOException;
    }

    private record Connection(Closeable client, Call call) {}

    private interface Connector {
        Connection connect() throws IOException;
    }

    private final Connector connector;
    private final Thread thread = new Thread(this::run);
    private volatile boolean stopped;
    private volatile Throwable failure;
    private Connection connection;

    private long[] dueNs = new long[1 << 16];
    private long[] latencyNs = new long[1 << 16];
    private int count;
    private long refused;
    private long reconnected;

    private SteadyClient(Connector connector) {
        this.connector = connector;
        thread.start();
    }

    static SteadyClient http(int port) {
        byte[] head =
                ("POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: "
                                + LOGS.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] request = Arrays.copyOf(head, head.length + LOGS.length);
        System.arraycopy(LOGS, 0, request, head.length, LOGS.length);
        return new SteadyClient(() -> {
            RawHttp1 client = new RawHttp1(port);
            return new Connection(client::close, () -> {
                client.send(request);
                return taken(client.status(), 200, 503);
            });
        });
    }

    static SteadyClient grpc(int port) {
        byte[] framed = RawHttp2.framed(LOGS, false);
        return new SteadyClient(() -> {
            RawHttp2 client = new RawHttp2(port);
            return new Connection(client::close, () -> {
                RawHttp2.Answer answer = client.call(LOGS_CALL, framed, "content-type", "application/grpc");
                return taken(Integer.parseInt(answer.grpcStatus()), 0, 14);
            });
        });
    }

    private static boolean taken(int status, int ok, int later) throws IOException {
        if (status == 0 && ok != 0) {
            throw new IOException("connection ended");
        }
        if (status != ok && status != later) {
            throw new IllegalStateException("refused: status=" + status);
        }
        return status == ok;
    }

    private void run() {
        try {
            long due = System.nanoTime();
            while (!stopped) {
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                while (!stopped && !attempt()) {
                    LockSupport.parkNanos(RETRY_NS);
                }
                add(due, System.nanoTime() - due);
                due += PERIOD_NS;
            }
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            disconnect();
        }
    }

    private boolean attempt() {
        try {
            if (connection == null) {
                connection = connector.connect();
            }
            if (connection.call.send()) {
                return true;
            }
            synchronized (this) {
                refused++;
            }
        } catch (IOException e) {
            disconnect();
            synchronized (this) {
                reconnected++;
            }
        }
        return false;
    }

    private void disconnect() {
        try {
            if (connection != null) {
                connection.client.close();
            }
        } catch (IOException e) {
            // it is gone
        }
        connection = null;
    }

    private synchronized void add(long due, long latency) {
        if (count == dueNs.length) {
            dueNs = Arrays.copyOf(dueNs, 2 * count);
            latencyNs = Arrays.copyOf(latencyNs, 2 * count);
        }
        dueNs[count] = due;
        latencyNs[count++] = latency;
    }

    /** Latencies of the requests that were due in a time, in order of size; throws what has failed. */
    synchronized long[] latenciesNs(long fromNs, long toNs) {
        if (failure != null) {
            throw new AssertionError(failure);
        }
        return IntStream.range(0, count)
                .filter(i -> dueNs[i] - fromNs >= 0 && dueNs[i] - toNs < 0)
                .mapToLong(i -> latencyNs[i])
                .sorted()
                .toArray();
    }

    /** How long after a time requests are answered so soon again, some in a row; -1 while they are not. */
    synchronized long recoveryNs(long fromNs, long withinNs) {
        int row = 0;
        for (int i = 0; i < count; i++) {
            row = dueNs[i] - fromNs >= 0 && latencyNs[i] <= withinNs ? row + 1 : 0;
            if (row == RECOVERED_ROW) {
                int first = i - row + 1;
                return dueNs[first] + latencyNs[first] - fromNs;
            }
        }
        return -1;
    }

    /** How often it was told to come again later. */
    synchronized long refused() {
        return refused;
    }

    /** How often its connection was ended. */
    synchronized long reconnected() {
        return reconnected;
    }

    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
