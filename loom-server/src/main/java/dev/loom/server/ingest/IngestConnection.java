package dev.loom.server.ingest;

import dev.loom.SharedWriter;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Serves one connection on its own thread, until it ends, breaks the protocol or misses a deadline. */
final class IngestConnection implements Runnable {
    private static final int RETRY_DELAY_MS = 100;
    /** The memory that a batch begins with, which grows as its bytes arrive. */
    private static final int FIRST_LENGTH = 64 << 10;

    private final SocketChannel socket;
    private final FrameChannel channel;
    private final IngestServer server;
    private @Nullable TlsChannel tls;
    private @Nullable BatchPush batches;

    /** When work on the current frame began, never 0; 0 while waiting for a frame. */
    private volatile long busySinceNs;

    /** Whether bytes of the current frame that are still to come keep memory. */
    private volatile boolean receiving;

    IngestConnection(SocketChannel socket, IngestServer server) {
        this.socket = socket;
        this.channel = new FrameChannel(socket);
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
        } catch (IOException | OutOfMemoryError e) {
            // the peer disconnected, was cut off, or found no memory; acknowledged records stay in the log
        } finally {
            server.ended(this);
            channel.free();
        }
    }

    /** Shakes hands, where that is required. A client that does not even begin to is refused in its own way. */
    private boolean secured() throws IOException {
        server.credentials.look(); // in this thread, as reading files may take long
        if (!server.encrypts()) {
            return true;
        }
        TlsChannel encrypted = new TlsChannel(socket, Objects.requireNonNull(server.credentials.engine()));
        boolean accepted = false;
        try {
            accepted = encrypted.accept();
        } finally {
            if (!accepted) {
                server.counters().handshakesFailed.increment();
            }
        }
        if (accepted) {
            tls = encrypted;
            channel.through(encrypted);
        } else {
            channel.writeAnswer(FrameDescriptor.REFUSED, 0, 0, "port requires TLS");
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
        } else if (!server.credentials.admit(request.get("token") instanceof String token ? token : "")) {
            throw new ProtocolException("wrong token");
        }
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("protocol", FrameDescriptor.PROTOCOL);
        answer.put("batch_length_max", server.batchLengthMax());
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
        } catch (StoreIoException | StoreReopenedException | IllegalStateException e) {
            retry(0, String.valueOf(e.getMessage()));
        } catch (RefusedException | LoomException e) {
            refuse(0, String.valueOf(e.getMessage()));
        }
    }

    private void batch() throws IOException {
        int length = channel.length();
        int lengthMax = server.batchLengthMax();
        if (length > lengthMax) {
            if (length <= FrameDescriptor.BATCH_LENGTH_MAX) {
                channel.skip(length); // who is cut off while sending does not see the answer
            }
            throw new ProtocolException("batch is too long: bytes=" + length + ", max=" + lengthMax);
        }
        BatchPush into = null;
        try {
            into = batches();
        } catch (LoomException | IllegalStateException e) {
            // it is being closed, or opened again
        }
        if (into == null) {
            channel.skip(length);
            retry(0, "store is not writable");
            return;
        }
        int missing = length;
        int type = 0;
        try (Region room = server.reserve(Math.min(length, FIRST_LENGTH))) {
            if (room != null) {
                missing = receive(room, length);
                type = missing == 0 ? push(into, room, length) : 0;
            }
        }
        if (type == 0) {
            channel.skip(missing);
            retry(0, "no memory for the batch");
        } else {
            answer(type, into);
        }
    }

    /** How much of a batch was not received: there is no memory for it, or too little for clients as slow as this one. */
    private int receive(Region room, int length) throws IOException {
        room.limit(length);
        receiving = true;
        try {
            int missing = length;
            while (missing > 0 && !isTooSlow() && server.ensureRoom(room)) {
                ByteBuffer bytes = room.unfilled();
                int count = channel.read(bytes.limit(bytes.position() + Math.min(missing, bytes.remaining())));
                room.written(count);
                missing -= count;
            }
            return missing;
        } finally {
            receiving = false;
        }
    }

    private boolean isTooSlow() {
        return server.pressed() && busyLongerThan(server.pressedTimeoutNs());
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

    private int push(BatchPush into, Region room, int length) throws ProtocolException {
        try {
            return into.push(room.buffer(), room.offset(), length);
        } catch (StoreIoException | StoreReopenedException e) {
            return into.retry(String.valueOf(e.getMessage())); // as receivers of OTLP: the sender has the records
        } catch (LoomException | IllegalStateException e) {
            return into.refuse(String.valueOf(e.getMessage()));
        } finally {
            server.counters().records.add(into.taken());
        }
    }

    private void answer(int type, BatchPush pushed) throws IOException {
        switch (type) {
            case FrameDescriptor.RETRY -> retry(pushed.taken(), pushed.reason());
            case FrameDescriptor.REFUSED -> refuse(pushed.taken(), pushed.reason());
            default -> {
                server.counters().batches.increment();
                channel.writeAnswer(type, pushed.taken(), 0, "");
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

    /** Whether memory is kept for a frame that has been arriving for longer than that. Usable from any thread. */
    boolean receivesLongerThan(long limitNs) {
        return receiving && busyLongerThan(limitNs);
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
