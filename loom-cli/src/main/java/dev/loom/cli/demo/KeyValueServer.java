package dev.loom.cli.demo;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps values by key, and answers GET and SET on a loopback socket, one connection after the other. Like many servers it waits
 * without limit for the bytes that a length field announces. For one thread, but for {@link #close}.
 */
final class KeyValueServer implements AutoCloseable {
    private static final int FAILED = -1;
    private static final byte[] EMPTY = {};

    private final Map<String, byte[]> values = new HashMap<>();
    private final Telemetry telemetry;
    private final ServerSocket listener;

    KeyValueServer(Telemetry telemetry) throws IOException {
        this.telemetry = telemetry;
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Serves until it is closed. */
    void run() throws IOException {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                socket.setTcpNoDelay(true);
                serve(socket);
            } catch (SocketException e) {
                // closed, or the peer has gone: the failed operation is recorded
            }
        }
    }

    /** Accepts no more connections; the peer ends the existing one. */
    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void serve(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(new TimedInput(socket)));
        for (byte[] request = Frame.read(in); request != null; request = Frame.read(in)) {
            send(socket, answer(Frame.decode(request)).encode());
        }
    }

    private Frame answer(Frame request) {
        if (request.type() == Frame.SET) {
            values.put(request.key(), request.value());
            return new Frame(Frame.STORED, request.requestId(), "", EMPTY);
        }
        byte[] value = values.get(request.key());
        return new Frame(
                value == null ? Frame.MISSING : Frame.FOUND, request.requestId(), "", value == null ? EMPTY : value);
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

    /** Times and records every read of a socket. */
    private final class TimedInput extends InputStream {
        private final InputStream in;
        private final int peerPort;

        TimedInput(Socket socket) throws IOException {
            in = socket.getInputStream();
            peerPort = socket.getPort();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
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
