package dev.loom.otlp.server;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** Handles the connection of a request that is answered before its body was read. */
final class UnreadBody {
    private UnreadBody() {}

    /** Whether the request has the connection to itself: HTTP/2 ends only its stream. */
    static boolean isHttp1(Request request) {
        return request.getConnectionMetaData().getHttpVersion().getVersion() < HttpVersion.HTTP_2.getVersion();
    }

    /**
     * Tells a client of HTTP/1 that the connection ends with this answer; otherwise it would reuse it for its next request.
     * A connection whose body has fully arrived stays open; HTTP/2 ends only the stream.
     */
    static void endConnection(Request request, Response response) {
        boolean whole = request.consumeAvailable();
        if (!whole && isHttp1(request)) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
    }
}
