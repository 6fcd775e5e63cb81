package dev.loom.server;

import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.RefusalWriter;
import dev.loom.server.api.JsonBodies;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpApi.Reply;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.text.BrokenPipeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/** The API port: queries, the schema, health and metrics. */
final class ApiHandler extends Handler.Abstract.NonBlocking {
    static final String HEALTH = "/healthz";
    static final String READINESS = "/readyz";
    static final String METRICS = "/metrics";

    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int REQUEST_LENGTH_MAX = 64 * 1024;
    /** Of bodies that are being received, together. */
    private static final long BODIES_LENGTH_MAX = 8 << 20;

    /** Of answers to lookups that their clients have not read, together. */
    private static final long UNREAD_LENGTH_MAX = 4 << 20;

    private static final Duration BODY_TIMEOUT = Duration.ofSeconds(10);
    private static final String TEXT = "text/plain;charset=utf-8";
    private static final String RETRY_AFTER_S = "1";

    private final List<HttpApi> apis;
    private final QueryPool pool;
    private final Health health;
    private final Supplier<String> metrics;
    private final AnswerTimes times;
    private final ByteBudget bodies = new ByteBudget(BODIES_LENGTH_MAX);
    private final ByteBudget unread = new ByteBudget(UNREAD_LENGTH_MAX);
    private final Set<JettyCall> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    /**
     * How long answers may take.
     *
     * @param write how long a client may take to read one write
     * @param query how long a query may take that does not run until its client leaves
     */
    record AnswerTimes(Duration write, Duration query) {}

    ApiHandler(List<HttpApi> apis, QueryPool pool, Health health, Supplier<String> metrics, AnswerTimes times) {
        this.times = times;
        this.apis = apis;
        this.pool = pool;
        this.health = health;
        this.metrics = metrics;
    }

    /** Writes the protection's refusals in this port's format. */
    static RefusalWriter refusals() {
        return (request, response, callback, refusal) -> {
            ApiFailure failure = new ApiFailure(
                    refusal.reason().httpStatus(), refusal.reason().name().toLowerCase(Locale.ROOT), refusal.message());
            Reply reply = JsonBodies.failure(failure);
            head(response, failure, reply);
            response.write(true, bytes(reply.text()), callback);
        };
    }

    /** Cancels the running queries, so that their clients learn how far they got. */
    void close() {
        closing = true;
        running.forEach(JettyCall::cancel);
    }

    /** Waits until the cancelled queries are answered, for a limited time: web sockets are no requests in flight to the server. */
    void awaitAnswered(Duration wait) {
        long endNs = System.nanoTime() + wait.toNanos();
        while (!running.isEmpty()
                && System.nanoTime() - endNs < 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        try {
            switch (path) {
                case HEALTH -> get(request, response, callback, health.live(), TEXT);
                case READINESS -> getReadiness(request, response, callback);
                case METRICS -> getMetrics(request, response, callback);
                default -> route(path, request, response, callback);
            }
        } catch (ApiFailure e) {
            failOnceRead(JsonBodies::failure, request, response, callback, e);
        }
        return true;
    }

    /**
     * Reads the rest of the request first: a client may not read before it has sent everything, and the rest would be taken for
     * its next request.
     */
    private void failOnceRead(
            Function<ApiFailure, Reply> form,
            Request request,
            Response response,
            Callback callback,
            ApiFailure failure) {
        Scheduler.Task deadline = deadline(request);
        Content.Source.consumeAll(
                request,
                Callback.from(
                        deadline::cancel,
                        Callback.from(() -> fail(form, request, response, callback, failure), unread -> {
                            if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
                                response.getHeaders().put(HttpHeader.CONNECTION, "close");
                            }
                            fail(form, request, response, callback, failure);
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
        execute(Load.LOOKUP, METRICS, request, response, callback, () -> {
            try {
                answerMetrics(request, response, callback);
            } catch (ApiFailure e) {
                fail(JsonBodies::failure, request, response, callback, e);
            } catch (IOException e) {
                callback.failed(e);
            }
        });
    }

    private void answerMetrics(Request request, Response response, Callback callback) throws IOException {
        JettyCall call = new JettyCall(request, response, callback, new byte[0], cause -> cutOffStream(request, cause));
        call.times(times.write, times.query.toNanos());
        call.keepWhole(unread);
        try {
            call.begin(200, MetricsText.MEDIA_TYPE).write(metrics.get().getBytes(StandardCharsets.UTF_8));
            finish(call, new byte[0], request, response, callback);
        } finally {
            call.abandon();
        }
    }

    /** Likewise, on a thread that nothing else can hold up. */
    private void getReadiness(Request request, Response response, Callback callback) {
        requireGet(request);
        boolean trusted = HttpServers.hasToken(request);
        if (health.closing()) {
            answerReadiness(request, response, callback, trusted);
            return;
        }
        execute(Load.READINESS, READINESS, request, response, callback, () -> {
            answerReadiness(request, response, callback, trusted);
        });
    }

    private void execute(
            Load load, String name, Request request, Response response, Callback callback, Runnable answer) {
        Runnable guarded = () -> {
            try {
                answer.run();
            } catch (RuntimeException | Error e) {
                callback.failed(e); // whatever it is, the client must not wait for ever
            }
        };
        pool.execute(
                pool.turn(load, name, guarded),
                request.getComponents().getScheduler(),
                refusal -> fail(JsonBodies::failure, request, response, callback, refusal));
    }

    private void answerReadiness(Request request, Response response, Callback callback, boolean trusted) {
        try {
            get(request, response, callback, health.ready(trusted), TEXT);
        } catch (ApiFailure e) {
            fail(JsonBodies::failure, request, response, callback, e);
        }
    }

    private void get(Request request, Response response, Callback callback, String text, String type) {
        requireGet(request);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
        send(request, response, bytes(text), callback);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a whole answer; cuts off a client that reads it too slowly. */
    private void send(Request request, Response response, ByteBuffer bytes, Callback callback) {
        Scheduler.Task deadline = schedule(
                request,
                times.write,
                () -> cutOff(request, new TimeoutException("client read the response too slowly")));
        response.write(true, bytes, Callback.from(deadline::cancel, callback));
    }

    /** Ends an answer, which is sent now if it was kept. */
    private void finish(JettyCall call, byte[] last, Request request, Response response, Callback callback)
            throws IOException {
        JettyCall.Unsent unsent = call.takeUnsent();
        if (unsent == null) {
            call.end(last);
            if (!call.isSocket()) {
                callback.succeeded();
            }
            return;
        }
        boolean sent = false;
        try {
            send(request, response, unsent.bytes(), Callback.from(unsent.release(), callback));
            sent = true;
        } finally {
            if (!sent) {
                unsent.release().run();
            }
        }
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
        if (!HttpMethod.HEAD.is(request.getMethod()) && !HttpMethod.GET.is(request.getMethod())) {
            throw ApiFailure.method("GET", request.getMethod());
        }
    }

    /** Finds the API that has the path, and answers by it. */
    private void route(String path, Request request, Response response, Callback callback) {
        for (HttpApi api : apis) {
            try {
                Route route = api.route(request.getMethod(), path);
                if (route != null) {
                    new Exchange(api, route, request, response, callback).read();
                    return;
                }
            } catch (ApiFailure e) {
                failOnceRead(api::failure, request, response, callback, e);
                return;
            }
        }
        throw ApiFailure.notFound("no such path: " + path);
    }

    /** A request on its way to its route. */
    private final class Exchange {
        private final HttpApi api;
        private final Route route;
        private final Request request;
        private final Response response;
        private final Callback callback;
        private final RequestBody encoding;

        Exchange(HttpApi api, Route route, Request request, Response response, Callback callback) {
            this.api = api;
            this.route = route;
            this.request = request;
            this.response = response;
            this.callback = callback;
            String type = JettyCall.mediaType(request);
            if (!HttpMethod.GET.is(request.getMethod()) && !api.reads(type)) {
                // also keeps a web page from sending it without a preflight request
                throw new ApiFailure(415, "unsupported_media_type", "content type is not supported: " + type);
            } else if (request.getLength() > REQUEST_LENGTH_MAX) {
                throw tooLarge();
            }
            encoding = RequestBody.of(request);
        }

        void read() {
            Scheduler.Task deadline = deadline(request);
            new BodyReader(
                            request,
                            REQUEST_LENGTH_MAX,
                            bodies,
                            sent -> {
                                deadline.cancel();
                                execute(sent);
                            },
                            failure -> {
                                deadline.cancel();
                                failOnceRead(api::failure, request, response, callback, failure);
                            })
                    .run();
        }

        private void execute(byte[] sent) {
            try {
                byte[] body = encoding.decode(sent, REQUEST_LENGTH_MAX);
                JettyCall call =
                        new JettyCall(request, response, callback, body, cause -> cutOffStream(request, cause));
                Load load = route.load(call);
                long totalNs = load == Load.FOLLOWER
                        ? Long.MAX_VALUE
                        : times.query.plus(times.write).toNanos();
                call.times(times.write, totalNs);
                if (load == Load.LOOKUP) {
                    call.keepWhole(unread);
                }
                QueryPool.Turn turn = pool.turn(load, route.name(), () -> answer(call));
                // of those who ask for HTTP/2 so, as Java's client does, the connection stays what it is
                if (!"websocket".equalsIgnoreCase(request.getHeaders().get(HttpHeader.UPGRADE))) {
                    HttpServers.onGone(request, () -> leave(call, turn, new EofException("client has left")));
                }
                request.addFailureListener(failure -> leave(call, turn, failure));
                request.addIdleTimeoutListener(silence -> false); // deadlines of our own end it, and say why
                pool.execute(turn, request.getComponents().getScheduler(), this::fail);
            } catch (ApiFailure e) {
                fail(e);
            } catch (RuntimeException | OutOfMemoryError e) {
                callback.failed(e); // no thread can be created, or a defect: the client must not wait for ever
            }
        }

        /** Nobody waits for the answer: a query that still waits for its turn leaves its place to others. */
        private void leave(JettyCall call, QueryPool.Turn turn, Throwable cause) {
            call.cancel();
            if (turn.giveUp()) {
                callback.failed(cause);
            }
        }

        private void answer(JettyCall call) {
            running.add(call);
            try {
                if (closing) {
                    call.cancel();
                }
                finish(call, answered(call), request, response, callback);
            } catch (ApiFailure e) {
                pool.counters(route.name()).failures.increment();
                fail(e);
            } catch (BrokenPipeException | UncheckedIOException | IOException e) {
                broken(call, e);
            } catch (RuntimeException | Error e) {
                // whatever it is, the client must not wait for ever
                pool.counters(route.name()).failures.increment();
                broken(call, e);
            } finally {
                try {
                    call.abandon();
                } finally {
                    running.remove(call);
                }
            }
        }

        private void broken(JettyCall call, Throwable failure) {
            if (!call.isSocket()) {
                callback.failed(failure);
            }
        }

        /** Answers, and returns the end of the answer. */
        private byte[] answered(JettyCall call) throws IOException {
            try {
                route.answer(call);
                return new byte[0];
            } catch (ApiFailure e) {
                if (call.endUnlessBegun()) {
                    throw e;
                }
                pool.counters(route.name()).failures.increment();
                if (call.breaksOff()) {
                    throw new IOException("answer broke off: " + e.getMessage(), e);
                }
                return api.failure(e).text().getBytes(StandardCharsets.UTF_8);
            }
        }

        private void fail(ApiFailure failure) {
            ApiHandler.this.fail(api::failure, request, response, callback, failure);
        }
    }

    private static ApiFailure tooLarge() {
        return RequestBody.tooLarge(REQUEST_LENGTH_MAX);
    }

    private void fail(
            Function<ApiFailure, Reply> form,
            Request request,
            Response response,
            Callback callback,
            ApiFailure failure) {
        try {
            Reply reply = form.apply(failure);
            head(response, failure, reply);
            send(request, response, bytes(reply.text()), callback);
        } catch (RuntimeException | Error e) {
            callback.failed(e); // whatever it is, the client must not wait for ever
        }
    }

    private static void head(Response response, ApiFailure failure, Reply reply) {
        response.setStatus(failure.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
        response.getHeaders().remove(HttpHeader.TRAILER); // of the answer that failed
        if (failure.status() == 429 || failure.status() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, RETRY_AFTER_S);
        } else if (failure.status() == 401) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
        } else if (!failure.allowed().isEmpty()) {
            response.getHeaders().put(HttpHeader.ALLOW, failure.allowed());
        }
    }
}
