package dev.loom.otlp.server;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** HTTP/1.1 byte by byte, so that a test can send what no client would. */
final class RawHttp1 implements AutoCloseable {
    private final Socket socket;

    RawHttp1(Socket socket) {
        this.socket = socket;
    }

    RawHttp1(int port) throws IOException {
        this(new Socket("localhost", port));
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Reads until an answer's headers and body, of its declared length, are there; what there is when the connection ends. */
    String answer() throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (!isWhole(out.toString(StandardCharsets.ISO_8859_1))) {
            int b = in.read();
            if (b < 0) {
                break;
            }
            out.write(b);
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    int status() throws IOException {
        String answer = answer();
        return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
    }

    /** Waits some milliseconds for the server to close the connection, and fails if it does. */
    void requireOpenFor(int ms) throws IOException {
        socket.setSoTimeout(ms);
        try {
            if (socket.getInputStream().read() < 0) {
                throw new EOFException("connection was closed");
            }
        } catch (SocketTimeoutException e) {
            // still open
        }
    }

    /** Waits until the server has closed the connection. */
    void awaitEnd() throws IOException {
        try {
            socket.getInputStream().readAllBytes();
        } catch (java.net.SocketException e) {
            // reset: ended as well
        }
    }

    private static boolean isWhole(String text) {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return false;
        }
        String headers = text.substring(0, end).toLowerCase(java.util.Locale.ROOT);
        int at = headers.indexOf("content-length: ");
        int length = at < 0 ? 0 : Integer.parseInt(headers.substring(at + 16).split("\r\n", 2)[0]);
        return text.length() >= end + 4 + length;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
