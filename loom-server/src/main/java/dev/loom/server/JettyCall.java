package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.UrlEncoded;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A request with its answer, whose client is cut off if it reads too slowly. */
final class JettyCall implements HttpCall {
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);
    private static final String FORM = "application/x-www-form-urlencoded";

    private final Request request;
    private final Response response;
    private final Callback callback;
    private final byte[] body;
    private final Map<String, List<String>> parameters;
    private final Consumer<Throwable> cutOff;
    private @Nullable AnswerStream out;
    private @Nullable ByteBudget unread;
    private @Nullable LookupAnswer lookup;
    private @Nullable ByteBuffer whole;
    private @Nullable SocketAnswer socket;
    private long stepNs;
    private long totalNs;
    private boolean breaksOff;
    private boolean over;
    private Scheduler.@Nullable Task nextLook;
    private volatile boolean cancelled;

    /**
     * Takes a request whose body is read.
     *
     * @param callback of the request; completed here only if the connection becomes a web socket
     * @param cutOff ends the connection to a client that reads too slowly
     * @throws ApiFailure if the parameters are not encoded as they have to be
     */
    JettyCall(Request request, Response response, Callback callback, byte[] body, Consumer<Throwable> cutOff) {
        this.request = request;
        this.response = response;
        this.callback = callback;
        this.body = body;
        this.cutOff = cutOff;
        parameters = parameters(request, body);
    }

    private static Map<String, List<String>> parameters(Request request, byte[] body) {
        Fields fields = new Fields(true);
        try {
            // first, as the first value counts where one is wanted: so do Go's servers read them
            if (mediaType(request).equals(FORM)) {
                String form = new String(body, StandardCharsets.UTF_8);
                UrlEncoded.decodeUtf8To(form, 0, form.length(), fields);
            }
            String query = request.getHttpURI().getQuery();
            if (query != null) {
                UrlEncoded.decodeUtf8To(query, 0, query.length(), fields);
            }
        } catch (RuntimeException e) {
            throw ApiFailure.badRequest("parameters are not encoded as UTF-8 and percent signs: " + e.getMessage());
        }
        Map<String, List<String>> values = new LinkedHashMap<>();
        fields.forEach(field -> values.put(field.getName(), List.copyOf(field.getValues())));
        return values;
    }

    /** The media type of a request's body in lower case, without parameters; empty if there is none. */
    static String mediaType(Request request) {
        String type = Objects.requireNonNullElse(request.getHeaders().get(HttpHeader.CONTENT_TYPE), "");
        return type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    }

    /**
     * Says how long the client may take to read the answer.
     *
     * @param step one write
     * @param total the whole of it, in nanoseconds
     */
    void times(Duration step, long total) {
        stepNs = step.toNanos();
        totalNs = total;
    }

    /**
     * Keeps the answer, which is short, until it is whole.
     *
     * @param budget of all answers that nobody has read yet
     */
    void keepWhole(ByteBudget budget) {
        unread = budget;
    }

    @Override
    public String path() {
        return Request.getPathInContext(request);
    }

    @Override
    public Map<String, List<String>> parameters() {
        return parameters;
    }

    @Override
    public byte[] body() {
        return body;
    }

    @Override
    public @Nullable String header(String name) {
        List<String> values = request.getHeaders().getValuesList(name);
        return values.isEmpty() ? null : String.join(",", values);
    }

    @Override
    public boolean cancelled() {
        return cancelled;
    }

    /** Nobody waits for the answer any more. Usable from any thread. */
    void cancel() {
        cancelled = true;
    }

    @Override
    public void answerHeader(String name, String value) {
        response.getHeaders().put(name, value);
    }

    @Override
    public OutputStream begin(int status, String type) {
        head(status, type);
        ByteBudget budget = unread;
        if (budget == null) {
            return stream();
        }
        LookupAnswer begun = new LookupAnswer(budget, this::stream);
        lookup = begun;
        return begun;
    }

    private void head(int status, String type) {
        response.setStatus(status);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    }

    private AnswerStream stream() {
        AnswerStream begun = new AnswerStream(response, stepNs, totalNs, cutOff);
        out = begun;
        return begun;
    }

    @Override
    public void answer(int status, String type, byte[] bytes) {
        head(status, type);
        whole = ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    @Override
    public OutputStream beginLines(String type) {
        OutputStream begun = begin(200, type);
        AnswerStream lines = out;
        if (lines != null) {
            keepAlive(lines);
        }
        return begun;
    }

    @Override
    public Messages beginMessages() throws IOException {
        SocketAnswer begun = new SocketAnswer(
                Duration.ofNanos(stepNs), KEEP_ALIVE, request.getComponents().getScheduler(), this::cancel);
        begun.upgrade(request, response, callback);
        socket = begun;
        begun.awaitOpen();
        return begun;
    }

    /** Whether the answer goes on without the request, as messages. */
    boolean isSocket() {
        return socket != null;
    }

    @Override
    public OutputStream beginData(String type) {
        breaksOff = true;
        return begin(200, type);
    }

    @Override
    public void answerTrailer(String name, Supplier<@Nullable String> value) {
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0) {
            return;
        }
        response.getHeaders().add(HttpHeader.TRAILER, name);
        response.setTrailersSupplier(() -> {
            String known = value.get();
            return known == null ? HttpFields.EMPTY : HttpFields.build().put(name, known);
        });
    }

    private synchronized void keepAlive(AnswerStream lines) {
        if (over) {
            return;
        }
        Runnable ask = () -> {
            if (lines.keepAlive()) {
                keepAlive(lines);
            } else {
                cancel();
            }
        };
        nextLook = request.getComponents().getScheduler().schedule(ask, KEEP_ALIVE.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** The scheduler must not keep the request once it is answered. */
    private synchronized void endKeepAlive() {
        over = true;
        if (nextLook != null) {
            nextLook.cancel();
        }
    }

    /** Ends the answer if the client has got no part of it, and with it no status; whether that is so. */
    boolean endUnlessBegun() {
        return socket == null && (out == null || out.endUnlessBegun());
    }

    /** Whether a failure ends the connection instead of the answer. */
    boolean breaksOff() {
        return breaksOff;
    }

    /** Ends an answer that broke off, and lets go of the request. */
    void abandon() {
        endKeepAlive();
        if (socket != null) {
            socket.close("");
        }
        if (out != null) {
            out.end();
        }
        release();
    }

    /** Gives back the memory of an answer that was kept. */
    private void release() {
        LookupAnswer kept = lookup;
        lookup = null;
        if (kept != null) {
            kept.release();
        }
    }

    /**
     * Takes the answer that is still to be sent, all of it; null if it was sent as it was written.
     *
     * @return the bytes, and what to call once they are with the client or the client has gone
     */
    @Nullable
    Unsent takeUnsent() {
        ByteBuffer bytes = whole;
        LookupAnswer kept = lookup;
        if (bytes != null) {
            return new Unsent(bytes, () -> {});
        } else if (kept == null || kept.whole() == null) {
            return null;
        }
        lookup = null;
        return new Unsent(Objects.requireNonNull(kept.whole()), kept::release);
    }

    /** An answer that is whole. */
    record Unsent(ByteBuffer bytes, Runnable release) {}

    /**
     * Ends an answer that was sent as it was written.
     *
     * @param last the end of it
     */
    void end(byte[] last) throws IOException {
        if (socket != null) {
            socket.close(new String(last, StandardCharsets.UTF_8));
            return;
        }
        AnswerStream begun = Objects.requireNonNull(out, "answer did not begin");
        begun.end();
        begun.write(last);
        begun.close();
    }
}
