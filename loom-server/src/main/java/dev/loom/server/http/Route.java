package dev.loom.server.http;

import java.io.IOException;

/** Answers the requests to a path. Usable from any thread. */
public interface Route {
    /** The name of its requests in the metrics. */
    String name();

    /** How much a request takes; called before it is answered. */
    Load load(HttpCall call);

    /**
     * Answers a request. Blocks until it is answered.
     *
     * @throws ApiFailure if there is no answer; once it has begun, the failure's text is the end of it, unless
     *     {@link HttpCall#beginData} began it
     * @throws IOException if the client has gone
     */
    void answer(HttpCall call) throws IOException;
}
