package dev.loom.otlp.server;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers a request that is not served, in the form that the clients of a handler expect. Called by any thread; does not block. */
@FunctionalInterface
public interface RefusalWriter {
    /**
     * Writes the answer and ends the request.
     *
     * @param request as received; its body may not have been read
     * @param response not committed
     * @param callback completed once the answer is written
     * @param refusal what to tell
     */
    void refuse(Request request, Response response, Callback callback, Refusal refusal);
}
