package dev.loom.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;

/** One gRPC call of which the headers alone are sent. */
final class Http2Call {
    static final int DATA = 0;
    static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    private Http2Call() {}

    /**
     * The call's status, once the server has answered; {@code malformed} if it is refused as HTTP, by a reset or an answer 400.
     *
     * @param name of one more header; empty for none, {@code end} to send an empty message too
     */
    static String status(
            Socket socket,
            String method,
            String path,
            String host,
            String type,
            String token,
            String name,
            String value)
            throws IOException {
        try (socket) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            frame(out, SETTINGS, 0, 0, new byte[0]);
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            literal(block, ":method", method);
            literal(block, ":scheme", "http");
            literal(block, ":path", path);
            literal(block, ":authority", host);
            literal(block, "content-type", type);
            literal(block, "te", "trailers");
            if (!token.isEmpty()) {
                literal(block, "authorization", token);
            }
            if (!name.isEmpty()) {
                literal(block, name, value);
            }
            frame(out, HEADERS, END_HEADERS, 1, block.toByteArray());
            if (name.equals("end")) {
                frame(out, DATA, END_STREAM, 1, new byte[5]);
            }
            socket.getOutputStream().write(out.toByteArray());
            return status(new DataInputStream(socket.getInputStream()));
        }
    }

    private static String status(DataInputStream in) throws IOException {
        HpackDecoder decoder = new HpackDecoder(1 << 16, System::nanoTime);
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            in.readUnsignedByte();
            in.readInt();
            byte[] payload = in.readNBytes(length);
            if (type == RST_STREAM) {
                return "malformed";
            }
            if (type == HEADERS) {
                try {
                    MetaData answer = decoder.decode(ByteBuffer.wrap(payload));
                    for (HttpField field : answer) {
                        if (field.getLowerCaseName().equals("grpc-status")) {
                            return field.getValue();
                        }
                    }
                    if (answer instanceof MetaData.Response response && response.getStatus() == 400) {
                        return "malformed";
                    }
                } catch (HpackException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    static void frame(ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) (payload.length >>> 16)).putShort((short) payload.length);
        out.writeBytes(frame.put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array());
    }

    /** HPACK's literal field without indexing, without Huffman's code. */
    static void literal(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        for (String text : new String[] {name, value}) {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            if (bytes.length < 127) {
                block.write(bytes.length);
            } else {
                block.write(127);
                int rest = bytes.length - 127;
                for (; rest >= 128; rest /= 128) {
                    block.write(rest % 128 + 128);
                }
                block.write(rest);
            }
            block.writeBytes(bytes);
        }
    }
}
