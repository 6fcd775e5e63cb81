package dev.loom.server;

import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.RefusalWriter;
import dev.loom.server.api.ApiFailure;
import dev.loom.server.api.QueryApi;
import dev.loom.server.json.JsonText;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.request.RefusedException;
import dev.loom.server.text.BrokenPipeException;
import dev.loom.server.text.JsonObject;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Scheduler;

/** The API port: queries, the schema, health and metrics. */
final class ApiHandler extends Handler.Abstract.NonBlocking {
    static final String HEALTH = "/healthz";
    static final String READINESS = "/readyz";
    static final String METRICS = "/metrics";

    private static final int REQUEST_LENGTH_MAX = 64 * 1024;
    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(5);
    private static final String PREFIX = "/v1/";
    private static final String TEXT = "text/plain;charset=utf-8";
    private static final String JSON = "application/json";
    private static final String JSON_LINES = "application/jsonl";
    private static final String RETRY_AFTER_S = "1";

    private final QueryApi queries;
    private final QueryPool pool;
    private final SchemaRequests schema;
    private final Health health;
    private final Supplier<String> metrics;
    private final AnswerTimes times;
    private final Set<QueryApi.Run> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    /**
     * How long answers may take.
     *
     * @param write how long a client may take to read one write
     * @param query how long a query may take that does not run until its client leaves
     */
    record AnswerTimes(Duration write, Duration query) {}

    ApiHandler(
            QueryApi queries,
            QueryPool pool,
            SchemaRequests schema,
            Health health,
            Supplier<String> metrics,
            AnswerTimes times) {
        this.times = times;
        this.queries = queries;
        this.pool = pool;
        this.schema = schema;
        this.health = health;
        this.metrics = metrics;
    }

    /** Writes the protection's refusals in this port's format. */
    static RefusalWriter refusals() {
        return (request, response, callback, refusal) -> {
            ApiFailure failure = new ApiFailure(
                    refusal.reason().httpStatus(), refusal.reason().name().toLowerCase(Locale.ROOT), refusal.message());
            head(response, failure);
            response.write(true, ByteBuffer.wrap(error(failure)), callback);
        };
    }

    /** Cancels the running queries, so that their clients learn how far they got. */
    void close() {
        closing = true;
        running.forEach(QueryApi.Run::cancel);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        try {
            switch (path) {
                case HEALTH -> get(request, response, callback, health.live(), TEXT);
                case READINESS -> get(request, response, callback, health.ready(HttpServers.hasToken(request)), TEXT);
                case METRICS -> getMetrics(request, response, callback);
                default -> post(path, request, response, callback);
            }
        } catch (ApiFailure e) {
            failOnceRead(request, response, callback, e);
        }
        return true;
    }

    /**
     * Reads the rest of the request first: a client may not read before it has sent everything, and the rest would be taken for
     * its next request.
     */
    private void failOnceRead(Request request, Response response, Callback callback, ApiFailure failure) {
        Scheduler.Task deadline = deadline(request);
        Content.Source.consumeAll(
                request,
                Callback.from(
                        deadline::cancel, Callback.from(() -> fail(request, response, callback, failure), unread -> {
                            if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
                                response.getHeaders().put(HttpHeader.CONNECTION, "close");
                            }
                            fail(request, response, callback, failure);
                        })));
    }

    private static Scheduler.Task deadline(Request request) {
        return schedule(request, BODY_TIMEOUT, () -> request.fail(new TimeoutException("request body took too long")));
    }

    private static Scheduler.Task schedule(Request request, Duration delay, Runnable task) {
        return request.getComponents().getScheduler().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Answers on a thread that may block: a hanging disk may hold it up, but not the threads that take records. */
    private void getMetrics(Request request, Response response, Callback callback) {
        requireGet(request);
        pool.execute(
                QueryPool.Kind.LOOKUP,
                METRICS,
                request.getComponents().getScheduler(),
                () -> {
                    try {
                        get(request, response, callback, metrics.get(), MetricsText.MEDIA_TYPE);
                    } catch (RuntimeException | Error e) {
                        callback.failed(e);
                    }
                },
                refusal -> fail(request, response, callback, refusal));
    }

    private void get(Request request, Response response, Callback callback, String text, String type) {
        requireGet(request);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        send(request, response, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), callback);
    }

    /** Sends a whole answer; cuts off a client that reads it too slowly. */
    private void send(Request request, Response response, ByteBuffer bytes, Callback callback) {
        Scheduler.Task deadline = schedule(
                request,
                times.write,
                () -> cutOff(request, new TimeoutException("client read the response too slowly")));
        response.write(true, bytes, Callback.from(deadline::cancel, callback));
    }

    /** In HTTP/2 the stream is reset when the query ends; the connection's other streams continue. */
    private static void cutOffStream(Request request, Throwable cause) {
        if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            cutOff(request, cause);
        }
    }

    private static void cutOff(Request request, Throwable cause) {
        request.getConnectionMetaData().getConnection().getEndPoint().close(cause);
    }

    private static void requireGet(Request request) {
        if (!HttpMethod.HEAD.is(request.getMethod())) { // the server omits its body
            require(HttpMethod.GET, request);
        }
    }

    private static void require(HttpMethod method, Request request) {
        if (!method.is(request.getMethod())) {
            throw new ApiFailure(405, "method_not_allowed", "method is not " + method + ": " + request.getMethod());
        }
    }

    private void post(String path, Request request, Response response, Callback callback) {
        String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
        if (!name.equals(QueryPool.SCHEMA) && !QueryApi.names().contains(name)) {
            throw ApiFailure.notFound("no such path: " + path);
        }
        require(HttpMethod.POST, request);
        String type = String.valueOf(request.getHeaders().get(HttpHeader.CONTENT_TYPE));
        if (!type.split(";", 2)[0].strip().equalsIgnoreCase(JSON)) {
            // also keeps a web page from sending it without a preflight request
            throw new ApiFailure(415, "unsupported_media_type", "content type is not " + JSON + ": " + type);
        } else if (request.getLength() > REQUEST_LENGTH_MAX) {
            throw tooLarge();
        }
        RequestBody encoding = RequestBody.of(request);
        Scheduler.Task deadline = deadline(request);
        Content.Source.asByteArrayAsync(request, REQUEST_LENGTH_MAX, new Promise.Invocable.NonBlocking<>() {
            @Override
            public void succeeded(byte[] sent) {
                deadline.cancel();
                try {
                    byte[] body = encoding.decode(sent, REQUEST_LENGTH_MAX);
                    pool.execute(
                            kind(name, body),
                            name,
                            request.getComponents().getScheduler(),
                            () -> answer(name, body, request, response, callback),
                            refusal -> fail(request, response, callback, refusal));
                } catch (ApiFailure e) {
                    fail(request, response, callback, e);
                } catch (OutOfMemoryError e) {
                    callback.failed(e); // no thread can be created
                }
            }

            @Override
            public void failed(Throwable failure) {
                deadline.cancel();
                failOnceRead(request, response, callback, ofBody(failure));
            }
        });
    }

    private static QueryPool.Kind kind(String name, byte[] body) {
        if (name.equals(QueryPool.SCHEMA) || !QueryApi.reads(name)) {
            return QueryPool.Kind.LOOKUP;
        }
        return QueryApi.follows(body) ? QueryPool.Kind.FOLLOWER : QueryPool.Kind.QUERY;
    }

    private static ApiFailure ofBody(Throwable failure) {
        return failure instanceof IllegalStateException
                ? tooLarge()
                : new ApiFailure(408, "timeout", "request did not arrive: " + failure.getMessage());
    }

    private static ApiFailure tooLarge() {
        return RequestBody.tooLarge(REQUEST_LENGTH_MAX);
    }

    private void answer(String name, byte[] body, Request request, Response response, Callback callback) {
        try {
            if (name.equals(QueryPool.SCHEMA)) {
                answerSchema(body, request, response, callback);
            } else {
                answerQuery(name, body, request, response, callback);
            }
        } catch (ApiFailure e) {
            pool.counters(name).failures.increment();
            fail(request, response, callback, e);
        } catch (BrokenPipeException | UncheckedIOException | IOException e) {
            callback.failed(e);
        } catch (RuntimeException | Error e) {
            // whatever it is, the client must not wait for ever
            pool.counters(name).failures.increment();
            callback.failed(e);
        }
    }

    private void answerSchema(byte[] body, Request request, Response response, Callback callback) {
        TextBuffer text;
        try {
            text = JsonText.line(schema.answer(JsonObject.parse(body)));
        } catch (RefusedException e) {
            throw ApiFailure.of(e);
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        } catch (StoreIoException e) {
            throw new ApiFailure(503, "unavailable", String.valueOf(e.getMessage()));
        } catch (LoomException e) {
            throw new ApiFailure(500, "store", String.valueOf(e.getMessage()));
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
        send(request, response, ByteBuffer.wrap(text.array(), 0, text.length()), callback);
    }

    private void answerQuery(String name, byte[] body, Request request, Response response, Callback callback)
            throws IOException {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON_LINES);
        long totalNs = QueryApi.follows(body)
                ? Long.MAX_VALUE
                : times.query.plus(times.write).toNanos();
        AnswerStream out =
                new AnswerStream(response, times.write.toNanos(), totalNs, cause -> cutOffStream(request, cause));
        QueryApi.Run run = queries.new Run(name, body, out);
        request.addFailureListener(failure -> run.cancel());
        running.add(run);
        try {
            keepAlive(request, run, out);
            if (closing) {
                run.cancel();
            }
            run.run();
        } catch (ApiFailure e) {
            if (!out.began()) {
                throw e;
            }
            pool.counters(name).failures.increment();
            out.write(error(e));
        } finally {
            running.remove(run);
            out.end();
        }
        out.close();
        callback.succeeded();
    }

    private static void keepAlive(Request request, QueryApi.Run run, AnswerStream out) {
        schedule(request, KEEP_ALIVE, () -> {
            if (out.keepAlive()) {
                keepAlive(request, run, out);
            } else {
                run.cancel();
            }
        });
    }

    private static byte[] error(ApiFailure failure) {
        return JsonText.line(Map.of("error", failure.row())).toByteArray();
    }

    private void fail(Request request, Response response, Callback callback, ApiFailure failure) {
        head(response, failure);
        send(request, response, ByteBuffer.wrap(error(failure)), callback);
    }

    private static void head(Response response, ApiFailure failure) {
        response.setStatus(failure.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
        if (failure.status() == 429 || failure.status() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER_S);
        }
    }
}
