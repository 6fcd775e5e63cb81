package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import dev.loom.otlp.tls.ServerCredentials;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Passes a request to a handler if its headers permit, before any of its body is read. */
final class ProtectedHandler extends Handler.Wrapper {
    /** The attribute of a request admitted without the token. */
    static final String WITHOUT_TOKEN = "dev.loom.otlp.without-token";

    /** What pages of other origins may send besides what any page may; those of MCP are for assistants in a browser. */
    private static final String ALLOWED_HEADERS =
            "Authorization, Content-Encoding, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name";

    /** Browsers say by it which page asks; a script can't change it. */
    private static final String FETCH_SITE = "Sec-Fetch-Site";

    private static final Refusal CLOSING = Refusal.later("server is shutting down");

    /** Of a request that is refused as the server closes; as much as one of OTLP may have by default. */
    private static final int REFUSED_LENGTH_MAX = 16 << 20;

    private final Gate gate;
    private final RefusalWriter refusals;
    private final RefusalWriter refusalsOnceRead;
    private final Set<String> openPaths;
    private final boolean overNetwork;

    /** Shared by all endpoints of a server. */
    static final class Gate {
        final ConnectionGuard connections;
        final HostRules hosts;
        final LongAdder refused = new LongAdder();
        final ServerCredentials credentials;
        volatile boolean draining;
        private int active;

        Gate(ConnectionGuard connections, HostRules hosts, ServerCredentials credentials) {
            this.connections = connections;
            this.hosts = hosts;
            this.credentials = credentials;
        }

        synchronized void begin() {
            active++;
        }

        synchronized void end() {
            active--;
            notifyAll();
        }

        /** Waits until no request is in flight. */
        synchronized boolean awaitNone(long timeoutMs) throws InterruptedException {
            long deadlineNs = System.nanoTime() + timeoutMs * 1_000_000;
            while (active > 0) {
                long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
                if (leftMs <= 0) {
                    return false;
                }
                wait(leftMs);
            }
            return true;
        }
    }

    /** @param refusedTimeout for the body of a request that is refused as the server closes */
    ProtectedHandler(Gate gate, HttpServers.Listener listener, boolean overNetwork, Duration refusedTimeout) {
        super(listener.handler());
        this.gate = gate;
        refusals = listener.refusals();
        refusalsOnceRead = new RefusalsOnceRead(refusals, REFUSED_LENGTH_MAX, refusedTimeout);
        openPaths = listener.openPaths();
        this.overNetwork = overNetwork;
    }

    @Override
    public boolean handle(Request request, Response unguarded, Callback callback) throws Exception {
        Response response = gate.connections.begin(request, unguarded);
        gate.begin();
        Request.addCompletionListener(request, failure -> gate.end());
        String origin = request.getHeaders().get(HttpHeader.ORIGIN);
        Refusal refusal = refusal(request, origin);
        if (refusal == null && origin != null && isPreflight(request)) {
            answerPreflight(response, callback, origin);
            return true;
        }
        if (refusal == null) {
            if (origin != null) {
                allowOrigin(response.getHeaders(), origin); // also to read that its token is wrong
            }
            refusal = tokenRefusal(request);
        }
        if (refusal != null) {
            gate.refused.increment();
            UnreadBody.endConnection(request, response);
            refusals.refuse(request, response, callback, refusal);
            return true;
        }
        if (gate.draining) {
            gate.refused.increment();
            refusalsOnceRead.refuse(request, response, callback, CLOSING);
            return true;
        }
        return super.handle(request, response, callback);
    }

    private @Nullable Refusal refusal(Request request, @Nullable String origin) {
        String host = host(request);
        if (overNetwork && (host == null || !gate.hosts.allowsHost(host))) {
            return new Refusal(Reason.FORBIDDEN, "host is not allowed: host=" + host);
        }
        if (origin != null && !isOwnPage(request, origin) && !gate.hosts.allowsOrigin(origin)) {
            return new Refusal(Reason.FORBIDDEN, "origin is not allowed: origin=" + origin);
        } else if (origin == null && isPartOfForeignPage(request)) {
            return new Refusal(
                    Reason.FORBIDDEN,
                    "page of another site asked: site=" + request.getHeaders().get(FETCH_SITE));
        }
        return null;
    }

    /**
     * Whether a page of another site asked for something that it shows or runs, such as an image, which has no origin. A link to here, which a
     * person follows, is none.
     */
    private static boolean isPartOfForeignPage(Request request) {
        HttpFields headers = request.getHeaders();
        String site = headers.get(FETCH_SITE);
        if (site == null || site.equals("same-origin") || site.equals("none")) {
            return false;
        }
        return !"navigate".equals(headers.get("Sec-Fetch-Mode")) || !"document".equals(headers.get("Sec-Fetch-Dest"));
    }

    /** Whether a web page that this server sent made the request; its host is allowed. */
    private static boolean isOwnPage(Request request, String origin) {
        String authority = request.getHttpURI().getAuthority();
        return host(request) != null
                && (origin.equalsIgnoreCase("http://" + authority) || origin.equalsIgnoreCase("https://" + authority));
    }

    /** The name that the client used for the server; null if it used none, as HTTP/1.0 allows. */
    private static @Nullable String host(Request request) {
        boolean named = request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_2
                || request.getHeaders().contains(HttpHeader.HOST);
        return named ? request.getHttpURI().getHost() : null;
    }

    private @Nullable Refusal tokenRefusal(Request request) {
        if (gate.credentials.admitHeader(request.getHeaders().get(HttpHeader.AUTHORIZATION))) {
            return null;
        } else if (openPaths.contains(Request.getPathInContext(request))) {
            request.setAttribute(WITHOUT_TOKEN, true);
            return null;
        }
        return new Refusal(Reason.UNAUTHENTICATED, "token is missing or wrong");
    }

    private static boolean isPreflight(Request request) {
        return HttpMethod.OPTIONS.is(request.getMethod())
                && request.getHeaders().contains(HttpHeader.ACCESS_CONTROL_REQUEST_METHOD);
    }

    private void answerPreflight(Response response, Callback callback, String origin) {
        HttpFields.Mutable headers = response.getHeaders();
        allowOrigin(headers, origin);
        headers.put("Access-Control-Allow-Methods", "GET, POST");
        headers.put("Access-Control-Allow-Headers", ALLOWED_HEADERS);
        headers.put("Access-Control-Max-Age", "600");
        response.setStatus(HttpStatus.NO_CONTENT_204);
        response.write(true, ByteBuffer.allocate(0), callback);
    }

    private void allowOrigin(HttpFields.Mutable headers, String origin) {
        headers.put("Access-Control-Allow-Origin", origin);
        headers.add(HttpHeader.VARY, "Origin");
        if (gate.hosts.listsOrigin(origin)) {
            headers.put("Access-Control-Allow-Credentials", "true"); // without it browsers send nothing by sendBeacon
        }
    }
}
