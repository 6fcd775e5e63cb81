package dev.loom.cli.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps values by key, and answers GET and SET on a loopback socket, one thread per connection. Like many servers it waits
 * without limit for the bytes that a length field announces.
 */
final class KeyValueServer implements AutoCloseable {
    private static final byte[] EMPTY = {};

    private final Map<String, Entry> entries = new ConcurrentHashMap<>();
    private final ServerCounts counts;
    private final TelemetrySink sink;
    private final Workers workers;
    private final ServerSocket listener;

    /** Starts to listen. Its threads belong to {@code workers}. */
    KeyValueServer(ServerCounts counts, TelemetrySink sink, Workers workers) throws IOException {
        this.counts = counts;
        this.sink = sink;
        this.workers = workers;
        this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        workers.start("server-accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Accepts no more connections; clients end the existing ones. */
    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() throws IOException {
        int connections = 0;
        while (!listener.isClosed()) {
            Socket socket;
            try {
                socket = listener.accept();
            } catch (SocketException e) {
                if (listener.isClosed()) {
                    return;
                }
                throw e;
            }
            connections++;
            workers.start("server-" + connections, () -> serve(socket));
        }
    }

    private void serve(Socket socket) throws IOException {
        byte[] reply = new byte[FrameDescriptor.FRAME_LENGTH_MAX];
        FrameFlyweight replyFrame = new FrameFlyweight().wrap(reply);
        try (socket) {
            socket.setTcpNoDelay(true);
            TimedSocket timed = new TimedSocket(socket, sink, counts);
            FrameReader reader = new FrameReader(timed::recv);
            while (reader.next()) {
                answer(reader.frame(), replyFrame);
                timed.send(reply, replyFrame.frameLength());
            }
        } catch (SocketException e) {
            // The peer has gone: a normal end, and the failed operation is recorded.
        }
    }

    private void answer(FrameFlyweight request, FrameFlyweight reply) throws IOException {
        long id = request.requestId();
        if (request.type() == FrameDescriptor.SET) {
            Entry entry = new Entry(id, request.value());
            entries.merge(request.key(), entry, Entry::newer);
            reply.encode(FrameDescriptor.STORED, id, EMPTY, EMPTY);
        } else {
            Entry entry = entries.get(request.key());
            byte type = entry == null ? FrameDescriptor.MISSING : FrameDescriptor.FOUND;
            reply.encode(type, id, EMPTY, entry == null ? EMPTY : entry.value);
        }
    }

    /** A value and the request that set it, so that a delayed request does not overwrite a newer value. */
    private static final class Entry {
        private final long requestId;
        private final byte[] value;

        Entry(long requestId, byte[] value) {
            this.requestId = requestId;
            this.value = value;
        }

        Entry newer(Entry other) {
            return other.requestId >= requestId ? other : this;
        }
    }
}
