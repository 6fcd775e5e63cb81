package dev.loom.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A connection of HTTP/2 whose client never lets the server send a byte of an answer, and reads nothing. */
final class Http2Streams implements AutoCloseable {
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int FRAME_LENGTH = 16_384;

    private final Socket socket;
    private int nextStream = 1;

    /** @param address host and port */
    Http2Streams(String address) throws IOException {
        String[] parts = address.split(":", 2);
        socket = new Socket(parts[0], Integer.parseInt(parts[1]));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        byte[] noWindow = ByteBuffer.allocate(6)
                .putShort((short) INITIAL_WINDOW_SIZE)
                .putInt(0)
                .array();
        Http2Call.frame(out, Http2Call.SETTINGS, 0, 0, noWindow);
        socket.getOutputStream().write(out.toByteArray());
    }

    void get(String path) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        headers(out, "GET", path, Http2Call.END_STREAM);
        socket.getOutputStream().write(out.toByteArray());
    }

    /** Sends some of a body, and never the rest. */
    void begin(String path, byte[] body) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int stream = headers(out, "POST", path, 0);
        for (int at = 0; at < body.length; at += FRAME_LENGTH) {
            byte[] part = Arrays.copyOfRange(body, at, Math.min(body.length, at + FRAME_LENGTH));
            Http2Call.frame(out, Http2Call.DATA, 0, stream, part);
        }
        socket.getOutputStream().write(out.toByteArray());
    }

    private int headers(ByteArrayOutputStream out, String method, String path, int flags) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        Http2Call.literal(block, ":method", method);
        Http2Call.literal(block, ":scheme", "http");
        Http2Call.literal(block, ":path", path);
        Http2Call.literal(block, ":authority", "localhost");
        if (flags == 0) {
            Http2Call.literal(block, "content-type", "application/json");
        }
        int stream = nextStream;
        nextStream += 2;
        Http2Call.frame(out, Http2Call.HEADERS, Http2Call.END_HEADERS | flags, stream, block.toByteArray());
        return stream;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
