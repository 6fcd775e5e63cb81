package dev.loom.cli.demo;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request at a time, times it, and checks the reply against what it stored before. If no reply comes within the
 * timeout, it reconnects and sends the request again. For one thread; the slow ids may be read once that thread has ended.
 */
final class KeyValueClient implements Callable<@Nullable Void> {
    private static final int KEYS = 256;
    private static final int VALUE_LENGTH_MIN = 16;
    private static final int VALUE_LENGTH_MAX = 128;

    /** One request in this many sets a value. */
    private static final int SET_EVERY = 4;

    private static final int ATTEMPTS_MAX = 100;
    private static final byte[] EMPTY = {};

    /** Enough to load every class; loading would make the first requests slow. */
    private static final int WARM_UP_REQUESTS = 2_000;

    private final int port;
    private final Telemetry telemetry;
    private final Runnable onWarm;
    private final BooleanSupplier over;
    private final SplittableRandom random;
    private final Map<String, byte[]> stored = new HashMap<>();
    private final Set<Long> slowIds = new HashSet<>();
    private @Nullable Socket socket;
    private @Nullable DataInputStream replies;

    KeyValueClient(int port, long seed, Telemetry telemetry, Runnable onWarm, BooleanSupplier over) {
        this.port = port;
        this.telemetry = telemetry;
        this.onWarm = onWarm;
        this.over = over;
        random = new SplittableRandom(seed);
    }

    @Override
    public @Nullable Void call() throws IOException {
        try {
            for (long id = -WARM_UP_REQUESTS; !over.getAsBoolean(); id++) {
                if (id == 0) {
                    onWarm.run();
                }
                request(id);
            }
        } finally {
            disconnect();
        }
        return null;
    }

    /** Ids of requests that took as long as {@link Workload#SLOW} or longer. */
    Set<Long> slowIds() {
        return Set.copyOf(slowIds);
    }

    private void request(long id) throws IOException {
        String key = "user:" + random.nextInt(KEYS);
        if (random.nextInt(SET_EVERY) == 0) {
            byte[] value = new byte[random.nextInt(VALUE_LENGTH_MIN, VALUE_LENGTH_MAX + 1)];
            Arrays.fill(value, (byte) ('a' + Math.floorMod(id, 26)));
            check(perform(new Frame(Frame.SET, id, key, value), "SET"), id, Frame.STORED, EMPTY);
            stored.put(key, value);
        } else {
            byte[] value = stored.get(key);
            Frame reply = perform(new Frame(Frame.GET, id, key, EMPTY), "GET");
            check(reply, id, value == null ? Frame.MISSING : Frame.FOUND, value == null ? EMPTY : value);
        }
    }

    private Frame perform(Frame request, String operation) throws IOException {
        byte[] bytes = request.encode();
        long startNs = System.nanoTime();
        byte[] reply = attempt(bytes);
        int attempts = 1;
        for (; reply == null; attempts++) {
            if (attempts == ATTEMPTS_MAX) {
                throw new IOException("request got no reply: request=" + request + ", attempts=" + attempts);
            }
            reply = attempt(bytes);
        }
        long latencyNs = System.nanoTime() - startNs;
        telemetry.request(request.requestId, latencyNs, attempts, operation, request.key);
        if (telemetry.on() && latencyNs >= Workload.SLOW.toNanos()) {
            slowIds.add(request.requestId);
        }
        return Frame.decode(reply);
    }

    /** Sends the request and receives its reply; null if the reply does not come in time. */
    private byte @Nullable [] attempt(byte[] request) throws IOException {
        try {
            Socket connected = socket;
            DataInputStream in = replies;
            if (connected == null || in == null) {
                connected = new Socket(InetAddress.getLoopbackAddress(), port);
                socket = connected;
                connected.setTcpNoDelay(true);
                connected.setSoTimeout(Math.toIntExact(Workload.REPLY_TIMEOUT.toMillis()));
                in = LoopbackServer.buffered(connected.getInputStream());
                replies = in;
            }
            connected.getOutputStream().write(request);
            byte[] reply = Frame.read(in);
            if (reply == null) {
                throw new IOException("connection ended before the reply: requestId=" + Frame.requestId(request));
            }
            return reply;
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

    private static void check(Frame reply, long id, byte type, byte[] value) throws IOException {
        if (!reply.isReplyTo(id, type, value)) {
            throw new IOException("reply differs: expected id=" + id + ", type=" + type + ", actual=" + reply);
        }
    }
}
