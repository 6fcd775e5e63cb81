package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * A unary gRPC call: the body is one message after a prefix of compression flag (1 byte) and length (4 bytes, big-endian).
 */
final class GrpcExchange extends Exchange {
    static final int PREFIX_LENGTH = 5;
    private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);
    private static final HttpFields OK =
            HttpFields.build().put("grpc-status", "0").asImmutable();

    private final long beganNs = System.nanoTime();
    private final long timeoutNs;
    private final ByteBuffer prefix = ByteBuffer.allocate(PREFIX_LENGTH);
    private int messageLength;
    private boolean compressed;

    GrpcExchange(
            OtlpReceiver receiver,
            Signal signal,
            ContentEncoding encoding,
            long timeoutNs,
            Request request,
            Response response,
            Callback callback) {
        super(receiver, signal, encoding, request, response, callback);
        this.timeoutNs = timeoutNs;
    }

    @Override
    Transport transport() {
        return Transport.GRPC;
    }

    @Override
    boolean isOverdue(long nowNs) {
        return nowNs - beganNs > timeoutNs;
    }

    @Override
    void received(ByteBuffer bytes) throws RefusalException {
        while (prefix.hasRemaining() && bytes.hasRemaining()) {
            prefix.put(bytes.get());
            if (!prefix.hasRemaining()) {
                readPrefix();
            }
        }
        if (bytes.remaining() > messageLength - bodyLength()) {
            throw new RefusalException(Reason.MALFORMED, "call has more than one message: length=" + messageLength);
        }
        append(bytes, messageLength);
    }

    private void readPrefix() throws RefusalException {
        byte flag = prefix.get(0);
        long length = Integer.toUnsignedLong(prefix.getInt(1));
        if (flag != 0 && flag != 1) {
            throw new RefusalException(Reason.MALFORMED, "message has an unknown flag: flag=" + flag);
        }
        compressed = flag == 1;
        if (compressed && super.encoding() == ContentEncoding.IDENTITY) {
            throw new RefusalException(Reason.MALFORMED, "message is compressed, but grpc-encoding is missing");
        }
        checkLength(length, compressed);
        messageLength = (int) length;
    }

    @Override
    void receivedAll() throws RefusalException {
        if (prefix.hasRemaining() || bodyLength() < messageLength) {
            throw new RefusalException(
                    Reason.MALFORMED,
                    "message ends early: prefix=" + prefix.position() + ", length=" + messageLength + ", received="
                            + bodyLength());
        }
    }

    @Override
    ContentEncoding encoding() {
        return compressed ? super.encoding() : ContentEncoding.IDENTITY;
    }

    @Override
    boolean isJson() {
        return false;
    }

    @Override
    void answer(ExportOutcome outcome) {
        byte[] message = ExportResponse.protobuf(outcome);
        ByteBuffer content = ByteBuffer.allocate(PREFIX_LENGTH + message.length);
        content.put((byte) 0).putInt(message.length).put(message).flip();
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, MediaTypes.GRPC);
        response.setTrailersSupplier(() -> OK);
        // If written at once, Jetty's trailers would overtake a message for which the client has no window.
        response.write(false, content, Callback.from(() -> response.write(true, NO_BYTES, callback), callback::failed));
    }
}
