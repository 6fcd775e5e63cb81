package dev.loom.otlp.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Receives OTLP by both protocols. A request's content type says which one it uses, so every port takes both. {@link
 * HttpServers} listens for it.
 *
 * <p>An answer of success means that the {@link ExportHandler} has returned. Each request ends in success, success with
 * rejected records, a refusal that asks to retry, or a refusal that doesn't; none is dropped without an answer, except with
 * its connection.
 */
public final class OtlpReceiver extends Handler.Abstract.NonBlocking {
    private static final long SWEEP_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Refusal TOO_MANY = Refusal.later("too many requests at once");
    private static final String SERVICES = "/opentelemetry.proto.collector.";
    private static final Map<String, Signal> CALLS = Map.of(
            SERVICES + "logs.v1.LogsService/Export", Signal.LOGS,
            SERVICES + "trace.v1.TraceService/Export", Signal.TRACES,
            SERVICES + "metrics.v1.MetricsService/Export", Signal.METRICS);
    private static final Map<String, Signal> PATHS =
            Map.of("/v1/logs", Signal.LOGS, "/v1/traces", Signal.TRACES, "/v1/metrics", Signal.METRICS);

    final OtlpConfig config;
    private final ServerProtection protection;
    private final InFlightBudget budget;
    private final ExportHandler handler;
    private final JsonTranscoder transcoder;
    final Consumer<Throwable> failures;
    private final OtlpCounters counters = new OtlpCounters();
    private final OtlpRefusals refusals = new OtlpRefusals();
    private final RefusalWriter refusalsOnceRead;
    private final Set<Exchange> exchanges = ConcurrentHashMap.newKeySet();
    /** Those that gave way, and whose rest is still read. They have no memory, and are not counted as requests. */
    private final Set<Exchange> dismissed = ConcurrentHashMap.newKeySet();
    /** Whether a request was refused as there were too many. */
    private volatile boolean crowded;

    private volatile long pressesSeen;
    private long pressedUntilNs = System.nanoTime();
    private @Nullable ExportWorkers workers;
    private final Sweeps sweeps = new Sweeps(
            () -> getServer().getScheduler(),
            SWEEP_NS,
            () -> !(exchanges.isEmpty() && dismissed.isEmpty()) && isRunning(),
            this::sweep);

    /**
     * Allocates the memory for requests.
     *
     * @param config sizes
     * @param protection deadlines
     * @param handler stores requests
     * @param transcoder converts JSON
     * @param failures takes the exceptions that the handler throws; called by any thread
     * @throws IOException if there is no room for the budget
     */
    public OtlpReceiver(
            OtlpConfig config,
            ServerProtection protection,
            ExportHandler handler,
            JsonTranscoder transcoder,
            Consumer<Throwable> failures)
            throws IOException {
        this.protection = protection;
        this.handler = handler;
        this.transcoder = transcoder;
        this.failures = cause -> {
            try {
                failures.accept(cause);
            } catch (Throwable e) {
                // there may be no memory to report it; the request must be answered all the same
            }
        };
        budget = InFlightBudget.open(config.budgetFolder(), config.budgetLength());
        this.config = budget.capacity() < config.budgetLength()
                ? config.withBudget(budget.capacity(), config.budgetFolder())
                : config;
        refusalsOnceRead = new RefusalsOnceRead(refusals, this.config.maxMessageLength(), protection.pressedTimeout());
    }

    /** What was accepted and refused so far. */
    public OtlpCounters counters() {
        return counters;
    }

    /** Bytes of the budget now in use. */
    public int bytesInFlight() {
        return budget.used();
    }

    /** The most bytes of the budget in use at once. */
    public int bytesInFlightPeak() {
        return budget.peak();
    }

    /** Refuses requests in OTLP's form. */
    public RefusalWriter refusals() {
        return refusals;
    }

    /** The memory of requests in flight, which others may share. Closed with the server. */
    public InFlightBudget budget() {
        return budget;
    }

    ExportWorkers workers() {
        if (workers == null) {
            throw new IllegalStateException("receiver is not started");
        }
        return workers;
    }

    /** How long a request may take to arrive, or a client to take its answer. */
    long timeoutNs(boolean receiving, boolean pressed) {
        if (pressed) {
            return protection.pressedTimeout().toNanos();
        }
        return (receiving ? protection.readBodyTimeout() : protection.writeTimeout()).toNanos();
    }

    /** Called by the server. */
    @Override
    protected void doStart() throws Exception {
        DecodeLimits limits = new DecodeLimits(config.maxMessageLength(), config.maxDecompressionRatio());
        workers = new ExportWorkers(
                config.exportThreads(),
                () -> new ExportWorker(budget, limits, handler, transcoder),
                getServer().getThreadPool(),
                failures);
        super.doStart();
    }

    /** Called by the server once no request is in flight, or the time-out for that is over. */
    @Override
    protected void doStop() throws Exception {
        super.doStop();
        sweeps.stop();
        workers().close();
        budget.close();
    }

    private void sweep() {
        long now = System.nanoTime();
        long presses = budget.presses();
        if (crowded || presses != pressesSeen) {
            crowded = false;
            pressesSeen = presses;
            // Long enough to find every slow request that holds memory.
            pressedUntilNs = now + 2 * timeoutNs(true, true);
        }
        boolean pressed = now - pressedUntilNs < 0;
        for (Exchange exchange : exchanges) {
            exchange.sweep(now, pressed);
        }
        for (Exchange exchange : dismissed) {
            exchange.sweep(now, pressed);
        }
    }

    /** Gives the place of a refused exchange to others, unless too many such are still read. Called by the sweep. */
    boolean dismiss(Exchange exchange) {
        if (dismissed.size() >= RefusalsOnceRead.BODIES_MAX) {
            return false;
        }
        dismissed.add(exchange);
        boolean going = exchanges.remove(exchange);
        if (!going) {
            dismissed.remove(exchange); // it was forgotten meanwhile
        }
        return going;
    }

    private void forget(Exchange exchange) {
        exchanges.remove(exchange);
        dismissed.remove(exchange);
    }

    /** Called by the server for each request. */
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean grpc = MediaTypes.isGrpc(MediaTypes.of(request));
        try {
            if (exchanges.size() >= config.maxRequests()) {
                crowded = true;
                throw new RefusalException(TOO_MANY);
            }
            Exchange exchange = grpc ? call(request, response, callback) : post(request, response, callback);
            exchanges.add(exchange);
            Request.addCompletionListener(request, failure -> forget(exchange));
            if (sweeps.begin()) {
                crowded = false; // what was noted is long past
                pressesSeen = budget.presses();
            }
            exchange.start();
        } catch (RefusalException e) {
            counters.refuseUnread(
                    grpc ? Transport.GRPC : Transport.HTTP, e.refusal().reason());
            refusalsOnceRead.refuse(request, response, callback, e.refusal());
        }
        return true;
    }

    private Exchange call(Request request, Response response, Callback callback) throws RefusalException {
        String type = MediaTypes.of(request);
        if (!type.equals(MediaTypes.GRPC) && !type.equals(MediaTypes.GRPC + "+proto")) {
            throw new RefusalException(Reason.UNSUPPORTED_MEDIA_TYPE, "content type is not supported: type=" + type);
        }
        Signal signal = signal(CALLS, request);
        if (request.getConnectionMetaData().getHttpVersion() != HttpVersion.HTTP_2) {
            throw new RefusalException(Reason.MALFORMED, "gRPC needs HTTP/2");
        }
        ContentEncoding encoding = encoding(request.getHeaders().get("grpc-encoding"));
        long timeoutNs = CallTimeout.parseNs(request.getHeaders().get(CallTimeout.HEADER));
        return new GrpcExchange(this, signal, encoding, timeoutNs, request, response, callback);
    }

    private Exchange post(Request request, Response response, Callback callback) throws RefusalException {
        Signal signal = signal(PATHS, request);
        String type = MediaTypes.of(request);
        boolean json = type.equals(MediaTypes.JSON);
        if (!json && !type.equals(MediaTypes.PROTOBUF)) {
            throw new RefusalException(
                    Reason.UNSUPPORTED_MEDIA_TYPE,
                    "content type is not " + MediaTypes.PROTOBUF + " or " + MediaTypes.JSON + ": type=" + type);
        }
        ContentEncoding encoding = encoding(request.getHeaders().get(HttpHeader.CONTENT_ENCODING));
        return new HttpExchange(this, signal, encoding, json, request, response, callback);
    }

    private static Signal signal(Map<String, Signal> paths, Request request) throws RefusalException {
        String path = Request.getPathInContext(request);
        Signal signal = paths.get(path);
        if (signal == null) {
            throw new RefusalException(Reason.NOT_FOUND, "no such path: path=" + path);
        }
        if (!HttpMethod.POST.is(request.getMethod())) {
            throw new RefusalException(Reason.METHOD_NOT_ALLOWED, "method is not POST: method=" + request.getMethod());
        }
        return signal;
    }

    private static ContentEncoding encoding(@Nullable String name) throws RefusalException {
        ContentEncoding encoding = ContentEncoding.of(name);
        if (encoding == null) {
            throw new RefusalException(
                    Reason.UNSUPPORTED_ENCODING,
                    "content encoding is not one of " + ContentEncoding.NAMES + ": encoding=" + name);
        }
        return encoding;
    }
}
