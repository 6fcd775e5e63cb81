package dev.loom.server.ingest;

import dev.loom.SharedWriter;
import dev.loom.error.LoomException;
import dev.loom.otlp.server.Region;
import dev.loom.server.json.JsonText;
import dev.loom.server.protocol.FrameChannel;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.ProtocolException;
import dev.loom.server.protocol.TlsChannel;
import dev.loom.server.request.RefusedException;
import dev.loom.server.text.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Serves one connection on its own thread, until it ends, breaks the protocol or misses a deadline. */
final class IngestConnection implements Runnable {
    private static final int RETRY_DELAY_MS = 100;
    /** The part of the memory that batches leave to others: as much as OTLP's largest message, which never takes more. */
    private static final int OTHERS_SHARE = 4;

    private final SocketChannel socket;
    private final @Nullable TlsChannel tls;
    private final FrameChannel channel;
    private final IngestServer server;
    private @Nullable BatchPush batches;

    /** When work on the current frame began, never 0; 0 while waiting for a frame. */
    private volatile long busySinceNs;

    /** @param engine encrypts it; null if nothing does */
    IngestConnection(SocketChannel socket, @Nullable SSLEngine engine, IngestServer server) {
        this.socket = socket;
        this.tls = engine == null ? null : new TlsChannel(socket, engine);
        this.channel = new FrameChannel(tls == null ? socket : tls);
        this.server = server;
        this.busySinceNs = System.nanoTime() | 1;
    }

    @Override
    public void run() {
        try (socket) {
            if (secured()) {
                serve();
                finish();
            }
        } catch (IOException e) {
            // the peer disconnected or was cut off; acknowledged records stay in the log
        } finally {
            server.ended(this);
        }
    }

    /** Shakes hands, where that is required. A client that does not even begin to is told so in its own way. */
    private boolean secured() throws IOException {
        if (tls == null) {
            return true;
        }
        boolean accepted = false;
        try {
            accepted = tls.accept();
        } finally {
            if (!accepted) {
                server.counters().handshakesFailed.increment();
            }
        }
        if (!accepted) {
            new FrameChannel(socket).writeAnswer(FrameDescriptor.REFUSED, 0, 0, "port requires TLS");
        }
        return accepted;
    }

    private void finish() throws IOException {
        if (tls != null) {
            busySinceNs = System.nanoTime() | 1;
            tls.finish();
        }
    }

    private void serve() throws IOException {
        try {
            hello();
            while (nextFrame()) {
                channel.readRest();
                answer();
            }
        } catch (ProtocolException e) {
            refuse(0, String.valueOf(e.getMessage()));
        }
    }

    private boolean nextFrame() throws IOException {
        busySinceNs = 0;
        boolean more = !server.closing() && channel.readFirst();
        busySinceNs = System.nanoTime() | 1;
        return more;
    }

    private void hello() throws IOException {
        if (!channel.readFirst()) {
            return;
        }
        channel.readRest();
        if (channel.type() != FrameDescriptor.HELLO) {
            throw new ProtocolException("connection does not begin with a hello: type=" + channel.type());
        }
        Map<String, @Nullable Object> request = parse(channel.readText());
        if (!Integer.toString(FrameDescriptor.PROTOCOL).equals(request.get("protocol"))) {
            throw new ProtocolException("unsupported protocol: requested=" + request.get("protocol") + ", supported="
                    + FrameDescriptor.PROTOCOL);
        } else if (!server.admits(request.get("token") instanceof String token ? token : "")) {
            throw new ProtocolException("wrong token");
        }
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("protocol", FrameDescriptor.PROTOCOL);
        answer.put("batch_length_max", FrameDescriptor.BATCH_LENGTH_MAX);
        answer.put("group_records_max", FrameDescriptor.GROUP_RECORDS_MAX);
        answer.put("payload_length_max", server.payloadLengthMax());
        done(answer);
    }

    private static Map<String, @Nullable Object> parse(byte[] json) throws ProtocolException {
        try {
            return JsonObject.parse(json);
        } catch (IllegalArgumentException e) {
            throw new ProtocolException(String.valueOf(e.getMessage()));
        }
    }

    private void done(Map<String, @Nullable Object> answer) throws IOException {
        byte[] text = JsonText.object(answer).toByteArray();
        if (text.length > FrameDescriptor.TEXT_LENGTH_MAX) {
            refuse(0, "answer is too long: bytes=" + text.length + ", max=" + FrameDescriptor.TEXT_LENGTH_MAX);
            return;
        }
        channel.writeText(FrameDescriptor.DONE, text);
    }

    private void answer() throws IOException {
        switch (channel.type()) {
            case FrameDescriptor.BATCH -> batch();
            case FrameDescriptor.SCHEMA -> schema();
            default -> throw new ProtocolException("unknown frame: type=" + channel.type());
        }
    }

    private void schema() throws IOException {
        try {
            done(server.schema.answer(parse(channel.readText())));
        } catch (RefusedException | LoomException e) {
            refuse(0, String.valueOf(e.getMessage()));
        }
    }

    private void batch() throws IOException {
        int length = channel.length();
        if (length > FrameDescriptor.BATCH_LENGTH_MAX) {
            throw new ProtocolException(
                    "batch is too long: bytes=" + length + ", max=" + FrameDescriptor.BATCH_LENGTH_MAX);
        }
        BatchPush into = batches();
        if (into == null) {
            channel.skip();
            retry(0, "store is not writable");
            return;
        }
        try (Region room = server.memory.reserve(length, server.memory.capacity() / OTHERS_SHARE)) {
            if (room == null) {
                channel.skip();
                retry(0, "no memory for the batch");
                return;
            }
            ByteBuffer bytes = room.unfilled();
            channel.readFully(bytes.limit(bytes.position() + length));
            push(into, room, length);
        }
    }

    private @Nullable BatchPush batches() {
        SharedWriter writer = server.writer().orElse(null);
        if (writer == null) {
            batches = null;
        } else if (batches == null || !batches.into(writer)) {
            batches = new BatchPush(writer);
        }
        return batches;
    }

    private void push(BatchPush into, Region room, int length) throws IOException {
        int type;
        try {
            type = into.push(room.buffer(), room.offset(), length);
        } catch (LoomException | IllegalStateException e) {
            refuse(into.taken(), String.valueOf(e.getMessage()));
            return;
        } finally {
            server.counters().records.add(into.taken());
        }
        switch (type) {
            case FrameDescriptor.RETRY -> retry(into.taken(), into.reason());
            case FrameDescriptor.REFUSED -> refuse(into.taken(), into.reason());
            default -> {
                server.counters().batches.increment();
                channel.writeAnswer(type, into.taken(), 0, "");
            }
        }
    }

    private void retry(int taken, String reason) throws IOException {
        server.counters().retries.increment();
        channel.writeAnswer(FrameDescriptor.RETRY, taken, RETRY_DELAY_MS, reason);
    }

    private void refuse(int taken, String reason) throws IOException {
        server.counters().refusals.increment();
        channel.writeAnswer(FrameDescriptor.REFUSED, taken, 0, reason);
    }

    /** Whether the current frame has taken longer than that. Usable from any thread. */
    boolean busyLongerThan(long limitNs) {
        long since = busySinceNs;
        return since != 0 && System.nanoTime() - since > limitNs;
    }

    /** Whether it waits for a frame. Usable from any thread. */
    boolean idle() {
        return busySinceNs == 0;
    }

    /** Closes the connection, whatever it is doing. Usable from any thread. */
    void end() {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing more can be lost
        }
    }
}
