package dev.loom.otlp.server;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** What becomes of a connection when a request is answered whose body was not read. */
final class UnreadBody {
    private UnreadBody() {}

    /**
     * Tells a client of HTTP/1 that the connection ends with this answer, which it would else use for its next request. One whose
     * body has arrived as a whole goes on; HTTP/2 ends the stream alone.
     */
    static void endConnection(Request request, Response response) {
        boolean whole = request.consumeAvailable();
        if (!whole && request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
    }
}
