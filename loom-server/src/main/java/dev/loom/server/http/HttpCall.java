package dev.loom.server.http;

import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request with its answer. For the thread that answers it. */
public interface HttpCall {
    /** The path, decoded. */
    String path();

    /** The values of each parameter: those of the address, then those of a body that is a form. */
    Map<String, List<String>> parameters();

    /** The body, decompressed; empty if there is none. */
    byte[] body();

    /** The values of a header, separated by commas; null if there is none. */
    @Nullable
    String header(String name);

    /** Whether nobody waits for the answer any more. Usable from any thread. */
    boolean cancelled();

    /**
     * Begins the answer, which ends when the route returns. What is written is sent at once.
     *
     * @param type its media type
     */
    OutputStream begin(int status, String type);

    /**
     * Answers with bytes that are the caller's to keep, and that nobody changes: they are sent once the route has returned, without a thread
     * that waits for the client.
     *
     * @param type its media type
     */
    void answer(int status, String type, byte[] whole);

    /**
     * As {@link #begin} with status 200, of an answer in lines: an empty one is sent when nothing was written for some time, to learn
     * whether the client is still there.
     */
    OutputStream beginLines(String type);

    /**
     * Begins an answer of messages, by switching to a web socket. It ends when the route returns; when the client leaves, the request is
     * cancelled.
     *
     * @throws ApiFailure if the client did not ask for that
     * @throws IOException if the client has gone
     */
    Messages beginMessages() throws IOException;

    /** Messages to a client. For the thread that answers. */
    interface Messages {
        /**
         * Sends and clears a text; returns when it is with the client or the network.
         *
         * @throws IOException if the client has gone, or reads too slowly
         */
        void send(TextBuffer text) throws IOException;
    }

    /**
     * As {@link #begin} with status 200, of an answer that has no place for a failure: if the route fails once a part of it was sent, the
     * connection ends before the answer does, or with HTTP/2 its stream.
     */
    OutputStream beginData(String type);

    /**
     * Sets a trailer of the answer, which has not begun. Answers to HTTP/1.0 have none.
     *
     * @param value supplies the value at the end of the answer; null for none. Called once, by any thread
     */
    void answerTrailer(String name, Supplier<@Nullable String> value);

    /** Sets a header of the answer, which has not begun. */
    void answerHeader(String name, String value);
}
