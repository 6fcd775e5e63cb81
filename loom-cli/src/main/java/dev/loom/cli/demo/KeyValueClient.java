package dev.loom.cli.demo;

import static dev.loom.cli.demo.FrameDescriptor.GET;
import static dev.loom.cli.demo.FrameDescriptor.SET;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request at a time, times it, and checks the reply against what it stored before. If no reply comes within the
 * timeout, it reconnects and sends the request again. For one thread; the counts may be read once that thread has ended.
 */
final class KeyValueClient {
    private static final int KEYS = 256;
    private static final int VALUE_LENGTH_MIN = 16;
    private static final int VALUE_LENGTH_MAX = 128;

    /** One request in this many sets a value. */
    private static final int SET_EVERY = 4;

    private static final int ATTEMPTS_MAX = 100;
    private static final byte[] EMPTY = {};
    private static final String GET_NAME = "GET";
    private static final String SET_NAME = "SET";

    private final int number;
    private final int port;
    private final WorkloadPlan plan;
    private final Schedule schedule;
    private final TelemetrySink sink;
    private final SplittableRandom random;
    private final PayloadEncoder encoder = new PayloadEncoder(DemoSource.REQUESTS);
    private final FrameFlyweight request = new FrameFlyweight().wrap(new byte[FrameDescriptor.FRAME_LENGTH_MAX]);
    private final String[] keys = new String[KEYS];
    private final byte[][] stored = new byte[KEYS][];
    private final Set<Long> slowIds = new HashSet<>();
    private long requests;
    private long retries;
    private @Nullable Socket socket;
    private @Nullable FrameReader replies;

    KeyValueClient(int number, int port, WorkloadPlan plan, Schedule schedule, TelemetrySink sink) {
        this.number = number;
        this.port = port;
        this.plan = plan;
        this.schedule = schedule;
        this.sink = sink;
        this.random = new SplittableRandom(plan.seed() + number);
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "user:" + number + ':' + i;
            stored[i] = EMPTY;
        }
    }

    void run() throws IOException {
        try {
            for (long id = schedule.nextRequestId(); id != Schedule.OVER; id = schedule.nextRequestId()) {
                int key = random.nextInt(KEYS);
                if (random.nextInt(SET_EVERY) == 0) {
                    set(id, key);
                } else {
                    get(id, key);
                }
            }
        } finally {
            disconnect();
        }
    }

    long requests() {
        return requests;
    }

    long retries() {
        return retries;
    }

    Set<Long> slowIds() {
        return slowIds;
    }

    private void set(long id, int key) throws IOException {
        byte[] value = new byte[random.nextInt(VALUE_LENGTH_MIN, VALUE_LENGTH_MAX + 1)];
        Arrays.fill(value, (byte) ('a' + id % 26));
        request.encode(SET, id, FrameFlyweight.ascii(keys[key]), value);
        FrameFlyweight reply = perform(id, SET_NAME, keys[key]);
        stored[key] = value;
        check(reply, id, FrameDescriptor.STORED, EMPTY);
    }

    private void get(long id, int key) throws IOException {
        request.encode(GET, id, FrameFlyweight.ascii(keys[key]), EMPTY);
        FrameFlyweight reply = perform(id, GET_NAME, keys[key]);
        byte[] value = stored[key];
        check(reply, id, value.length == 0 ? FrameDescriptor.MISSING : FrameDescriptor.FOUND, value);
    }

    private FrameFlyweight perform(long id, String operation, String key) throws IOException {
        int attempts = 1;
        long startNs = System.nanoTime();
        FrameFlyweight reply = attempt();
        while (reply == null) {
            if (attempts == ATTEMPTS_MAX) {
                throw new IOException("request got no reply: id=" + id + ", attempts=" + attempts);
            }
            attempts++;
            reply = attempt();
        }
        long latencyNs = System.nanoTime() - startNs;
        encoder.begin()
                .integer(id)
                .integer(latencyNs)
                .integer(number)
                .integer(attempts)
                .text(operation)
                .text(key)
                .recordTo(sink);
        requests++;
        retries += attempts - 1;
        if (latencyNs >= plan.slow().toNanos()) {
            slowIds.add(id);
        }
        return reply;
    }

    /** Sends the request and receives its reply; null if the reply does not come in time. */
    private @Nullable FrameFlyweight attempt() throws IOException {
        try {
            Socket connected = socket;
            FrameReader reader = replies;
            if (connected == null || reader == null) {
                connected = new Socket(InetAddress.getLoopbackAddress(), port);
                socket = connected;
                connected.setTcpNoDelay(true);
                connected.setSoTimeout(Math.toIntExact(plan.replyTimeout().toMillis()));
                reader = new FrameReader(connected.getInputStream()::read);
                replies = reader;
            }
            connected.getOutputStream().write(request.bytes(), 0, request.frameLength());
            if (!reader.next()) {
                throw new EOFException("connection ended before the reply: request=" + request);
            }
            return reader.frame();
        } catch (SocketTimeoutException e) {
            disconnect();
            return null;
        }
    }

    private void disconnect() throws IOException {
        Socket connected = socket;
        socket = null;
        replies = null;
        if (connected != null) {
            connected.close();
        }
    }

    private static void check(FrameFlyweight reply, long id, byte type, byte[] value) throws IOException {
        if (reply.requestId() != id || reply.type() != type || !Arrays.equals(reply.value(), value)) {
            throw new IOException("reply differs: expected id=" + id + ", type=" + type + ", actual=" + reply);
        }
    }
}
