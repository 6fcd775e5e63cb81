package dev.loom.bench.otlp;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Posts prepared requests, with new ids and numbers each time, over one persistent connection, and waits for each answer. It does as
 * little else as a client can, to leave the machine to the server. For one thread.
 */
public final class HttpLoad implements AutoCloseable {
    private static final String LENGTH = "content-length:";
    private static final String CHUNKED = "transfer-encoding: chunked";

    private final RequestPool pool;
    private final SplittableRandom random;
    private final byte[][] requests;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final StringBuilder line = new StringBuilder();
    private int next;

    /**
     * Connects to a local port.
     *
     * @param first the request that is posted first
     * @param random draws ids and numbers
     */
    public HttpLoad(int port, String path, RequestPool pool, int first, SplittableRandom random) throws IOException {
        this.pool = pool;
        this.random = random;
        next = first;
        requests = new byte[pool.size()][];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = request(port, path, pool, i);
        }
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private static byte[] request(int port, String path, RequestPool pool, int index) {
        final int length = pool.length(index);
        final byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: localhost:" + port
                        + "\r\nContent-Type: application/x-protobuf\r\nContent-Length: " + length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        final byte[] bytes = new byte[head.length + length];
        System.arraycopy(head, 0, bytes, 0, head.length);
        pool.request(index).getBytes(0, bytes, head.length, length);
        return bytes;
    }

    /**
     * Posts the next request.
     *
     * @throws IllegalStateException if the answer is not 200
     */
    public void post() throws IOException {
        final int index = next++ % requests.length;
        final byte[] request = requests[index];
        pool.refresh(index, new UnsafeBuffer(request), request.length - pool.length(index), random);
        out.write(request);
        final String status = readLine();
        int length = 0;
        boolean chunked = false;
        for (String header = readLine(); !header.isEmpty(); header = readLine()) {
            final String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith(LENGTH)) {
                length = Integer.parseInt(lower.substring(LENGTH.length()).strip());
            }
            chunked |= lower.equals(CHUNKED);
        }
        if (!status.startsWith("HTTP/1.1 200") || chunked) {
            throw new IllegalStateException("request was not taken: status=" + status);
        }
        in.skipNBytes(length);
    }

    private String readLine() throws IOException {
        line.setLength(0);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("connection ended");
            } else if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
