package dev.loom.cli.demo;

import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps values by key, and answers GET and SET on a loopback socket, one connection after the other. Like many servers it waits
 * without limit for the bytes that a length field announces. For one thread, except {@link #close}.
 */
final class KeyValueServer extends LoopbackServer {
    private static final int FAILED = -1;
    private static final byte[] EMPTY = {};

    private final Map<String, byte[]> values = new HashMap<>();
    private final Telemetry telemetry;

    KeyValueServer(Telemetry telemetry) throws IOException {
        this.telemetry = telemetry;
    }

    @Override
    void serve(Socket socket) throws IOException {
        DataInputStream in = buffered(new TimedInput(socket));
        for (byte[] request = Frame.read(in); request != null; request = Frame.read(in)) {
            send(socket, answer(Frame.decode(request)).encode());
        }
    }

    private Frame answer(Frame request) {
        if (request.type == Frame.SET) {
            values.put(request.key, request.value);
            return new Frame(Frame.STORED, request.requestId, "", EMPTY);
        }
        byte[] value = values.get(request.key);
        return new Frame(
                value == null ? Frame.MISSING : Frame.FOUND, request.requestId, "", value == null ? EMPTY : value);
    }

    private void send(Socket socket, byte[] bytes) throws IOException {
        OutputStream out = socket.getOutputStream();
        int returned = FAILED;
        long startNs = System.nanoTime();
        try {
            out.write(bytes);
            returned = bytes.length;
        } finally {
            telemetry.socketOp(System.nanoTime() - startNs, "send", returned, socket.getPort());
        }
    }

    /** Times and records every read of a socket; its reader is buffered. */
    private final class TimedInput extends FilterInputStream {
        private final int peerPort;

        TimedInput(Socket socket) throws IOException {
            super(socket.getInputStream());
            peerPort = socket.getPort();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int returned = FAILED;
            long startNs = System.nanoTime();
            try {
                int received = in.read(into, offset, length);
                returned = Math.max(0, received); // as recv(2): 0 at the end
                return received;
            } finally {
                telemetry.socketOp(System.nanoTime() - startNs, "recv", returned, peerPort);
            }
        }
    }
}
