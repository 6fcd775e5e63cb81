package dev.loom.otlp.server;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** An OTLP/HTTP request: the body is the message. */
final class HttpExchange extends Exchange {
    private final boolean json;
    private final long declaredLength;

    HttpExchange(
            OtlpReceiver receiver,
            Signal signal,
            ContentEncoding encoding,
            boolean json,
            Request request,
            Response response,
            Callback callback) {
        super(receiver, signal, encoding, request, response, callback);
        this.json = json;
        declaredLength = request.getLength();
    }

    @Override
    Transport transport() {
        return Transport.HTTP;
    }

    @Override
    void received(ByteBuffer bytes) throws RefusalException {
        long length = Math.max(declaredLength, (long) bodyLength() + bytes.remaining());
        checkLength(length, encoding() != ContentEncoding.IDENTITY);
        append(bytes, declaredLength < 0 ? Integer.MAX_VALUE : (int) length);
    }

    @Override
    void receivedAll() {}

    @Override
    boolean isJson() {
        return json;
    }

    @Override
    void answer(ExportOutcome outcome) {
        byte[] content = json
                ? ExportResponse.json(signal, outcome).getBytes(StandardCharsets.UTF_8)
                : ExportResponse.protobuf(outcome);
        response.getHeaders()
                .put(HttpHeader.CONTENT_TYPE, json ? MediaTypes.JSON : MediaTypes.PROTOBUF)
                .put(HttpHeader.CONTENT_LENGTH, content.length);
        response.write(true, ByteBuffer.wrap(content), callback);
    }
}
