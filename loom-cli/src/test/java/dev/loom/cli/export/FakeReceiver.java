package dev.loom.cli.export;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/** A receiver of OTLP that answers as a test says, one request after the other, each on a connection of its own. */
final class FakeReceiver implements AutoCloseable {
    /** A request with its headers by lower-case name. */
    static final class Request {
        final String line;
        final Map<String, String> headers;
        final byte[] body;

        private Request(String line, Map<String, String> headers, byte[] body) {
            this.line = line;
            this.headers = headers;
            this.body = body;
        }

        byte[] unzipped() throws IOException {
            return new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
        }
    }

    /** Answers the request with this number, from 0; leaving without an answer closes the connection. */
    interface Behaviour {
        void answer(int number, OutputStream out) throws Exception;
    }

    private final ServerSocket server;
    private final Behaviour behaviour;
    private final List<Request> requests = new CopyOnWriteArrayList<>();

    FakeReceiver(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "fake-receiver");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://localhost:" + server.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    static void answer(OutputStream out, String statusAndHeaders, byte[] body) throws IOException {
        String head = "HTTP/1.1 " + statusAndHeaders + "\r\nConnection: close\r\nContent-Length: " + body.length;
        out.write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(body);
        out.flush();
    }

    static void answer(OutputStream out, String statusAndHeaders) throws IOException {
        answer(out, statusAndHeaders, new byte[0]);
    }

    private void serve() {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                requests.add(read(new DataInputStream(socket.getInputStream())));
                behaviour.answer(requests.size() - 1, socket.getOutputStream());
            } catch (Exception e) {
                // the client has gone, or the test is over
            }
        }
    }

    private static Request read(DataInputStream in) throws IOException {
        String line = line(in);
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            int colon = header.indexOf(':');
            headers.put(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        byte[] body = new byte[Integer.parseInt(headers.getOrDefault("Content-Length", "0"))];
        in.readFully(body);
        return new Request(line, headers, body);
    }

    private static String line(DataInputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.readUnsignedByte(); c != '\n'; c = in.readUnsignedByte()) {
            line.append((char) c);
        }
        return line.toString().strip();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
