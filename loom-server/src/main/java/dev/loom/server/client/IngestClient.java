package dev.loom.server.client;

import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.server.json.JsonText;
import dev.loom.server.protocol.FrameChannel;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.ProtocolException;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.protocol.TlsChannel;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.IndexEntry;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.text.JsonObject;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client of the ingest port. Its methods throw a {@link RefusedException} for what the sidecar refuses of its schema, and a
 * {@link SidecarException} for what else goes wrong. For one thread.
 */
public final class IngestClient implements SchemaAccess, AutoCloseable {
    /** How long a sidecar may take for the handshake and the answer to the hello. */
    private static final long GREETING_NS = TimeUnit.SECONDS.toNanos(30);

    private static final int DELAY_MAX_MS = 60_000;
    private static final long STOP_CHECK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Endpoint endpoint;
    private final FrameChannel channel;
    private final ByteBuffer batch;
    private final int batchLengthMax;
    private final int payloadLengthMax;

    private IngestClient(Endpoint endpoint, FrameChannel channel, String token) throws IOException {
        this.endpoint = endpoint;
        this.channel = channel;
        Map<String, @Nullable Object> hello = new LinkedHashMap<>();
        hello.put("protocol", FrameDescriptor.PROTOCOL);
        hello.put("token", token);
        Map<String, @Nullable Object> answer = call(FrameDescriptor.HELLO, hello);
        batchLengthMax = Math.min(
                FrameDescriptor.BATCH_LENGTH_MAX, Integer.parseInt(String.valueOf(answer.get("batch_length_max"))));
        payloadLengthMax = Integer.parseInt(String.valueOf(answer.get("payload_length_max")));
        batch = ByteBuffer.allocateDirect(FrameDescriptor.HEADER_LENGTH + FrameDescriptor.BATCH_LENGTH_MAX)
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Connects to a sidecar without encryption. */
    public static IngestClient connect(Endpoint endpoint, String token) {
        return connect(endpoint, token, null, GREETING_NS);
    }

    /**
     * Connects to a sidecar.
     *
     * @param tls how to encrypt the connection; null for not at all, as to a Unix socket
     */
    public static IngestClient connect(Endpoint endpoint, String token, @Nullable ClientTls tls) {
        return connect(endpoint, token, tls, GREETING_NS);
    }

    @SuppressWarnings("resource") // the client closes it
    static IngestClient connect(Endpoint endpoint, String token, @Nullable ClientTls tls, long greetingNs) {
        if (tls != null && endpoint.socket() != null) {
            throw new IllegalArgumentException("a Unix socket is not encrypted: endpoint=" + endpoint);
        }
        try {
            SocketChannel socket = SocketChannel.open(endpoint.address());
            boolean greeted = false;
            try (GreetingDeadline deadline = GreetingDeadline.start(socket, greetingNs)) {
                try {
                    if (endpoint.socket() == null) {
                        socket.setOption(
                                StandardSocketOptions.SO_KEEPALIVE, true); // it waits for answers without a limit
                    }
                    IngestClient client =
                            new IngestClient(endpoint, new FrameChannel(open(socket, endpoint, tls)), token);
                    greeted = true;
                    return client;
                } catch (IOException e) {
                    deadline.check(e);
                    throw e;
                }
            } finally {
                if (!greeted) {
                    socket.close();
                }
            }
        } catch (IOException e) {
            throw new SidecarException("can't reach the sidecar: address=" + endpoint + ": " + e.getMessage(), e);
        }
    }

    private static ByteChannel open(SocketChannel socket, Endpoint endpoint, @Nullable ClientTls tls)
            throws IOException {
        if (tls == null) {
            return socket;
        }
        TlsChannel channel = new TlsChannel(socket, tls.engine(endpoint.host(), endpoint.port()));
        channel.connect();
        return channel;
    }

    private Map<String, @Nullable Object> call(int type, Map<String, ? extends @Nullable Object> request)
            throws IOException {
        byte[] text = JsonText.object(request).toByteArray();
        if (text.length > FrameDescriptor.TEXT_LENGTH_MAX) {
            throw RefusedException.invalid("request is too long for a sidecar: bytes=" + text.length + ", max="
                    + FrameDescriptor.TEXT_LENGTH_MAX);
        }
        channel.writeText(type, text);
        Answer answer = answer();
        if (answer.type == FrameDescriptor.RETRY) {
            throw new SidecarException("the sidecar can't do that now; try again later: " + answer.reason(), null);
        } else if (answer.type != FrameDescriptor.DONE) {
            throw RefusedException.invalid("the sidecar refused the request: " + answer.reason());
        }
        try {
            return JsonObject.parse(answer.body.array());
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("answer is malformed: " + e.getMessage());
        }
    }

    private static final class Answer {
        private final int type;
        private final ByteBuffer body;

        Answer(int type, byte[] body) {
            this.type = type;
            this.body = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        }

        int taken() {
            return body.getInt(FrameDescriptor.TAKEN_OFFSET);
        }

        int delayMs() {
            return body.getInt(FrameDescriptor.DELAY_OFFSET);
        }

        String reason() {
            int from = FrameDescriptor.REASON_OFFSET;
            return new String(body.array(), from, body.capacity() - from, StandardCharsets.UTF_8);
        }
    }

    private Answer answer() throws IOException {
        if (!channel.readFirst()) {
            throw new IOException("connection ended");
        }
        channel.readRest();
        Answer answer = new Answer(channel.type(), channel.readText());
        if (answer.type != FrameDescriptor.DONE && answer.body.capacity() < FrameDescriptor.REASON_OFFSET) {
            throw new ProtocolException("answer is truncated: type=" + answer.type);
        }
        return answer;
    }

    private Map<String, @Nullable Object> schema(String operation, Map<String, ? extends @Nullable Object> members) {
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("op", operation);
        request.putAll(members);
        try {
            return call(FrameDescriptor.SCHEMA, request);
        } catch (IOException e) {
            throw new SidecarException(
                    "lost the connection to the sidecar: address=" + endpoint + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Optional<Source> openSource(String source) {
        return Optional.ofNullable(SchemaRequests.sourceOf(schema("source", Map.of("name", source))));
    }

    @Override
    public Source defineSource(String source, PayloadFormat format, Map<String, String> attributes) {
        return source(
                schema("define-source", Map.of("name", source, "format", format.text(), "attributes", attributes)));
    }

    @Override
    public Source setAttributes(String source, Map<String, String> attributes) {
        return source(schema("set-attributes", Map.of("name", source, "attributes", attributes)));
    }

    @Override
    public Source closeSource(String source) {
        return source(schema("close-source", Map.of("name", source)));
    }

    private static Source source(Map<String, ? extends @Nullable Object> answer) {
        return Objects.requireNonNull(SchemaRequests.sourceOf(answer));
    }

    @Override
    public IndexEntry defineIndex(String source, String field, String bins, List<String> by, boolean backfill) {
        return SchemaRequests.indexOf(schema(
                "define-index",
                Map.of("source", source, "field", field, "bins", bins, "by", by, "backfill", backfill)));
    }

    @Override
    public IndexEntry closeIndex(String source, String index) {
        return SchemaRequests.indexOf(schema("close-index", Map.of("source", source, "name", index)));
    }

    /** The longest payload that the sidecar accepts, bytes. */
    public int payloadLengthMax() {
        return payloadLengthMax;
    }

    /**
     * Sends payloads that lie back to back from offset 0, and waits until they are in the sidecar's log. While the sidecar can't
     * take them all it resends the rest.
     *
     * @param count at most 4,096, each of at most {@link #payloadLengthMax()}
     * @param stop asked before each attempt, and while it waits for one
     * @return how many of the first payloads are in the log, or were dropped and counted if the sidecar's store drops records
     */
    public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count, BooleanSupplier stop) {
        return push(sourceId, payloads, lengths, count, stop, reason -> {});
    }

    /**
     * As {@link #push(int, DirectBuffer, int[], int, BooleanSupplier)}.
     *
     * @param onNothingTaken receives the reason, each time that the sidecar takes nothing of a batch and is to be asked again
     */
    public int push(
            int sourceId,
            DirectBuffer payloads,
            int[] lengths,
            int count,
            BooleanSupplier stop,
            Consumer<String> onNothingTaken) {
        int done = 0;
        int offset = 0;
        try {
            while (done < count && !stop.getAsBoolean()) {
                int to = fitting(lengths, done, count);
                int bytes = write(sourceId, payloads, offset, lengths, done, to);
                Answer answer = answer();
                if (answer.taken() < 0 || answer.taken() > to - done) {
                    throw new ProtocolException(
                            "answer is of other records: taken=" + answer.taken() + ", sent=" + (to - done));
                }
                for (int i = 0; i < answer.taken(); i++) {
                    offset += lengths[done + i];
                }
                done += answer.taken();
                if (answer.type == FrameDescriptor.RETRY) {
                    if (answer.taken() == 0) {
                        onNothingTaken.accept(answer.reason());
                    }
                    rest(answer.delayMs(), stop);
                } else if (answer.type != FrameDescriptor.TAKEN) {
                    throw new SidecarException(
                            "the sidecar refused a batch: bytes=" + bytes + ": " + answer.reason(), null);
                }
            }
        } catch (IOException e) {
            throw new SidecarException(
                    "lost the connection to the sidecar: address=" + endpoint + ": " + e.getMessage(), e);
        }
        return done;
    }

    /** Waits before the next attempt, no longer than is sensible whatever the sidecar says, and until it is to stop. */
    private static void rest(int delayMs, BooleanSupplier stop) {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(0, Math.min(delayMs, DELAY_MAX_MS)));
        for (long left = endNs - System.nanoTime();
                left > 0 && !stop.getAsBoolean();
                left = endNs - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, STOP_CHECK_NS));
            if (Thread.currentThread().isInterrupted()) {
                return; // parking would not wait
            }
        }
    }

    /** The end of the payloads that fit into one batch, of which there is at least one. */
    private int fitting(int[] lengths, int from, int to) {
        long length = FrameDescriptor.groupHeaderLength(1) + (long) lengths[from];
        int end = from + 1;
        while (end < to && length + Integer.BYTES + lengths[end] <= batchLengthMax) {
            length += Integer.BYTES + lengths[end];
            end++;
        }
        return end;
    }

    private int write(int sourceId, DirectBuffer payloads, int offset, int[] lengths, int from, int to)
            throws IOException {
        int bytes = 0;
        batch.clear().position(FrameDescriptor.HEADER_LENGTH);
        batch.putShort((short) sourceId).putShort((short) 0).putInt(to - from);
        for (int i = from; i < to; i++) {
            batch.putInt(lengths[i]);
            bytes += lengths[i];
        }
        payloads.getBytes(offset, batch, bytes);
        batch.putInt(FrameDescriptor.LENGTH_OFFSET, batch.position() - FrameDescriptor.HEADER_LENGTH);
        batch.putInt(FrameDescriptor.TYPE_OFFSET, FrameDescriptor.BATCH);
        channel.writeFully(batch.flip());
        return bytes;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // acknowledged records stay in the log
        }
    }
}
