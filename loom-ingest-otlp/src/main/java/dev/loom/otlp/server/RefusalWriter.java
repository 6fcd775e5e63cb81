package dev.loom.otlp.server;

import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Answers refused requests in the form that a handler's clients expect. Called by any thread; must not block. */
@FunctionalInterface
public interface RefusalWriter {
    /**
     * Writes the answer and ends the request.
     *
     * @param request as received; its body may not have been read
     * @param response not committed
     * @param callback completed once the answer is written
     * @param refusal what to answer
     */
    void refuse(Request request, Response response, Callback callback, Refusal refusal);
}
