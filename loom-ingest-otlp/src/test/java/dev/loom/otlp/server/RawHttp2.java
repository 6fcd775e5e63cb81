package dev.loom.otlp.server;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;

/** HTTP/2 frame by frame, so that a test can send what no client would. */
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    private static final int WINDOW_STEP = 4096;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    /** What a stream was answered with; a refused call has trailers alone, which are then its headers. */
    static final class Answer {
        final Map<String, String> headers = new LinkedHashMap<>();
        final ByteArrayOutputStream data = new ByteArrayOutputStream();
        int status;
        int resetCode = -1;

        String grpcStatus() {
            return headers.get("grpc-status");
        }

        byte[] message() {
            ByteBuffer bytes = ByteBuffer.wrap(data.toByteArray());
            bytes.get();
            byte[] message = new byte[bytes.getInt()];
            bytes.get(message);
            return message;
        }
    }

    private final Closeable socket;
    private final OutputStream out;
    private final DataInputStream in;
    private final HpackDecoder decoder = new HpackDecoder(1 << 16, System::nanoTime);
    private int nextStream = 1;
    private String authority = "localhost";

    private RawHttp2(Closeable socket, InputStream in, OutputStream out) throws IOException {
        this.socket = socket;
        this.out = out;
        this.in = new DataInputStream(in);
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(SETTINGS, 0, 0, new byte[0]);
    }

    RawHttp2(Socket socket) throws IOException {
        this(socket, socket.getInputStream(), socket.getOutputStream());
        socket.setTcpNoDelay(true);
    }

    RawHttp2(int port) throws IOException {
        this(new Socket("localhost", port));
    }

    RawHttp2(SocketChannel channel) throws IOException {
        this(channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
    }

    RawHttp2 authority(String name) {
        authority = name;
        return this;
    }

    void frame(int type, int flags, int stream, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) (payload.length >>> 16)).putShort((short) payload.length);
        frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
        out.write(frame.array());
        out.flush();
    }

    /** Opens a stream: a POST. */
    int open(String path, boolean endStream, String... fields) throws IOException {
        int stream = nextStream;
        nextStream += 2;
        frame(HEADERS, END_HEADERS | (endStream ? END_STREAM : 0), stream, headers(path, fields));
        return stream;
    }

    byte[] headers(String path, String... fields) throws IOException {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        literal(block, ":method", "POST");
        literal(block, ":scheme", "http");
        literal(block, ":path", path);
        literal(block, ":authority", authority);
        for (int i = 0; i < fields.length; i += 2) {
            literal(block, fields[i], fields[i + 1]);
        }
        return block.toByteArray();
    }

    /** HPACK's literal field without indexing, with a new name, without Huffman's code. */
    private static void literal(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            block.write(bytes.length);
        } else {
            block.write(127);
            int rest = bytes.length - 127;
            while (rest >= 128) {
                block.write(rest % 128 + 128);
                rest /= 128;
            }
            block.write(rest);
        }
        block.writeBytes(bytes);
    }

    void data(int stream, boolean endStream, byte[] bytes) throws IOException {
        int sent = 0;
        do {
            int length = Math.min(16_384, bytes.length - sent);
            byte[] part = java.util.Arrays.copyOfRange(bytes, sent, sent + length);
            sent += length;
            frame(DATA, endStream && sent == bytes.length ? END_STREAM : 0, stream, part);
        } while (sent < bytes.length);
    }

    /** A whole unary call, of a message that fits the window. */
    Answer call(String path, byte[] framed, String... fields) throws IOException {
        String[] all = java.util.Arrays.copyOf(fields, fields.length + 2);
        all[fields.length] = "te";
        all[fields.length + 1] = "trailers";
        int stream = open(path, false, all);
        data(stream, true, framed);
        return answer(stream);
    }

    /** Reads until a stream has ended; frames of others are dropped. */
    Answer answer(int stream) throws IOException {
        Answer answer = new Answer();
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int of = in.readInt();
            byte[] payload = in.readNBytes(length);
            if (type == DATA) {
                updateWindows(of, length);
            }
            if (type == GOAWAY) {
                throw new IOException(
                        "connection ended: code=" + ByteBuffer.wrap(payload).getInt(4));
            }
            if (type == HEADERS) {
                readHeaders(payload, of == stream ? answer : new Answer());
            }
            if (of != stream) {
                continue;
            }
            if (type == DATA) {
                answer.data.write(payload);
            }
            if (type == RST_STREAM) {
                answer.resetCode = ByteBuffer.wrap(payload).getInt();
            }
            if (type == RST_STREAM || ((type == DATA || type == HEADERS) && (flags & END_STREAM) != 0)) {
                return answer;
            }
        }
    }

    /** In small steps, as some clients do; of a server that is closing there is still something to be read. */
    private void updateWindows(int stream, int length) {
        try {
            for (int left = length; left > 0; left -= WINDOW_STEP) {
                byte[] step = ByteBuffer.allocate(4)
                        .putInt(Math.min(left, WINDOW_STEP))
                        .array();
                frame(WINDOW_UPDATE, 0, 0, step);
                frame(WINDOW_UPDATE, 0, stream, step);
            }
        } catch (IOException e) {
            // it has closed
        }
    }

    private void readHeaders(byte[] block, Answer into) throws IOException {
        try {
            MetaData metaData = decoder.decode(ByteBuffer.wrap(block));
            if (metaData instanceof MetaData.Response response) {
                into.status = response.getStatus();
            }
            for (HttpField field : metaData) {
                into.headers.put(field.getLowerCaseName(), field.getValue());
            }
        } catch (org.eclipse.jetty.http2.hpack.HpackException e) {
            throw new IOException(e);
        }
    }

    static byte[] framed(byte[] message, boolean compressed) {
        ByteBuffer framed = ByteBuffer.allocate(5 + message.length);
        framed.put((byte) (compressed ? 1 : 0)).putInt(message.length).put(message);
        return framed.array();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
