package dev.loom.cli.export;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.otlp.Signal;
import dev.loom.otlp.export.OtlpAnswer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of OTLP by HTTP and protobuf. A request is sent again, by the rules of OTLP, after the statuses 429, 502, 503 and 504,
 * and when the connection fails or no answer comes; the receiver may then have it twice. Everything else is final: 200, as OTLP demands it,
 * and other statuses of success, which some receivers give, acknowledge the request.
 */
final class OtlpEndpoint implements OtlpSink {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final int ANSWER_LENGTH_MAX = 4 << 20; // as long as OTLP advises that answers are
    private static final long POLL_MS = 100;
    private static final int REASON_CHARS_MAX = 300;

    private static final int SUCCESS = 2;
    private static final int NOT_SENT = 0;
    private static final Set<Integer> AGAIN = Set.of(429, 502, 503, 504);
    private static final String PROTOBUF = "application/x-protobuf";
    private static final String GZIP = "gzip";
    private static final OtlpAnswer NOTHING = new OtlpAnswer(0, "");

    /** How one attempt ended: with a status, or {@link #NOT_SENT} and the reason why there is none. */
    private record Attempt(int status, boolean again, String reason, Duration asked, OtlpAnswer answer) {
        static Attempt failed(boolean again, String reason) {
            return new Attempt(NOT_SENT, again, reason, Duration.ZERO, NOTHING);
        }

        boolean succeeded() {
            return status / 100 == SUCCESS;
        }

        String text() {
            return (status == NOT_SENT ? "" : "status=" + status + (reason.isEmpty() ? "" : ", "))
                    + (reason.isEmpty() ? "" : "reason=" + reason);
        }
    }

    private final Console console;
    private final HttpClient client;
    private final URI base;
    private final Map<String, String> headers;
    private final boolean compressed;
    private final RetryPolicy policy;
    private final Duration answerMax;
    private long rejected;
    private boolean warned;

    /** Prepares to send; {@code base} is the address without the signal's path. */
    OtlpEndpoint(Console console, OtlpOptions options) {
        this(console, options, options.policy(), ANSWER_MAX);
    }

    /** @param answerMax how long an answer may take, before the attempt has failed */
    OtlpEndpoint(Console console, OtlpOptions options, RetryPolicy policy, Duration answerMax) {
        this.console = console;
        this.base = options.uri();
        this.headers = options.headers();
        this.compressed = options.compressed();
        this.policy = policy;
        this.answerMax = answerMax;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_MAX);
        if (options.encrypted()) {
            builder.sslContext(options.tlsContext());
        }
        this.client = builder.build();
    }

    @Override
    public boolean hasOneSignal() {
        return false;
    }

    @Override
    public long rejected() {
        return rejected;
    }

    @Override
    public boolean deliver(Signal signal, byte[] message) {
        HttpRequest request = request(signal, message);
        long startNs = System.nanoTime();
        for (int failed = 1; ; failed++) {
            Attempt attempt = attempt(request);
            if (attempt == null) {
                return false;
            } else if (attempt.succeeded()) {
                note(attempt.answer);
                return true;
            } else if (!attempt.again) {
                throw failure("the receiver refuses the records", request, attempt, "");
            }
            Duration elapsed = Duration.ofNanos(System.nanoTime() - startNs);
            Optional<Duration> delay = policy.delay(failed, elapsed, attempt.asked);
            if (delay.isEmpty()) {
                String asked = attempt.asked.isZero() ? "" : ", retry after=" + attempt.asked.toSeconds() + " s";
                throw failure("gave up", request, attempt, asked + ", attempts=" + failed);
            } else if (failed == 1) {
                console.say("the receiver does not take records now: " + attempt.text() + "; trying again for "
                        + policy.total().toSeconds() + " s");
            }
            if (awaited(delay.get())) {
                return false;
            }
        }
    }

    private boolean awaited(Duration delay) {
        try {
            return console.interruption().await(delay);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static CommandFailure failure(String what, HttpRequest request, Attempt attempt, String more) {
        return new CommandFailure(ExitCode.REMOTE, what + ": url=" + request.uri() + ", " + attempt.text() + more);
    }

    private HttpRequest request(Signal signal, byte[] message) {
        String path = switch (signal) {
            case LOGS -> "/v1/logs";
            case TRACES -> "/v1/traces";
            case METRICS -> "/v1/metrics";
        };
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .header("Content-Type", PROTOBUF)
                .header("Accept", PROTOBUF)
                .POST(HttpRequest.BodyPublishers.ofByteArray(compressed ? gzip(message) : message));
        if (compressed) {
            request.header("Content-Encoding", GZIP);
        }
        headers.forEach(request::setHeader);
        return request.build();
    }

    private static byte[] gzip(byte[] message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream zipped = new GZIPOutputStream(bytes)) {
            zipped.write(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Sends the request once; null if the user interrupts. */
    private @Nullable Attempt attempt(HttpRequest request) {
        CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request, info -> new BoundedBody(ANSWER_LENGTH_MAX));
        long startNs = System.nanoTime();
        while (true) {
            if (console.interruption().requested()) {
                answer.cancel(true);
                return null;
            } else if (System.nanoTime() - startNs > answerMax.toNanos()) {
                answer.cancel(true);
                return Attempt.failed(true, "no answer within " + answerMax.toMillis() + " ms");
            }
            try {
                return answered(answer.get(POLL_MS, TimeUnit.MILLISECONDS));
            } catch (TimeoutException e) {
                // look whether to stop
            } catch (ExecutionException e) {
                return unanswered(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                answer.cancel(true);
                return null;
            }
        }
    }

    private static Attempt unanswered(Throwable failure) {
        String reason = "";
        boolean again = true;
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            again &= !(cause instanceof SSLException) || isCut(cause);
            String message = cause instanceof UnresolvedAddressException ? "unknown host" : cause.getMessage();
            if (reason.isEmpty() && message != null) {
                reason = shortened(message);
            }
        }
        String other = failure.getCause() instanceof ConnectException ? "can't connect" : "connection failed";
        return Attempt.failed(again, reason.isEmpty() ? other : reason);
    }

    /** Whether the connection ended within the handshake, of which the JDK makes a failure of TLS. */
    private static boolean isCut(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        return message.equals("Remote host terminated the handshake")
                || message.equals("Remote host closed the channel");
    }

    private Attempt answered(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        String type = response.headers().firstValue("Content-Type").orElse("");
        byte[] body = body(response);
        boolean succeeded = status / 100 == SUCCESS;
        if (succeeded && type.startsWith("text/html")) {
            return Attempt.failed(false, "the answer is not a receiver's: content type=" + type);
        }
        String reason = succeeded ? "" : reason(type, body);
        if (reason.isEmpty() && !succeeded) {
            reason = response.headers()
                    .firstValue("Location")
                    .map(to -> "redirect to " + to)
                    .orElse("");
        }
        return new Attempt(
                status,
                AGAIN.contains(status),
                shortened(reason),
                asked(response),
                succeeded ? OtlpAnswer.ofSuccess(body) : NOTHING);
    }

    private static byte[] body(HttpResponse<byte[]> response) {
        byte[] sent = response.body();
        if (!response.headers().firstValue("Content-Encoding").orElse("").equalsIgnoreCase(GZIP)) {
            return sent;
        }
        try (GZIPInputStream plain = new GZIPInputStream(new ByteArrayInputStream(sent))) {
            return plain.readNBytes(ANSWER_LENGTH_MAX);
        } catch (IOException e) {
            return new byte[0];
        }
    }

    private static String reason(String type, byte[] body) {
        if (type.startsWith(PROTOBUF)) {
            return OtlpAnswer.ofFailure(body);
        }
        String text = new String(body, StandardCharsets.UTF_8).strip();
        return text.lines().findFirst().orElse("");
    }

    private static String shortened(String reason) {
        return reason.length() <= REASON_CHARS_MAX ? reason : reason.substring(0, REASON_CHARS_MAX) + "...";
    }

    /** What {@code Retry-After} says, seconds or a date; zero if it says nothing. */
    private Duration asked(HttpResponse<byte[]> response) {
        String text = response.headers().firstValue("Retry-After").orElse("").strip();
        try {
            if (!text.isEmpty() && text.length() < 10 && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return Duration.ofSeconds(Long.parseLong(text));
            } else if (!text.isEmpty()) {
                Instant at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                Instant now = Instant.ofEpochSecond(0, console.nowNs());
                return at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO;
            }
        } catch (DateTimeParseException e) {
            // as if it were not there
        }
        return Duration.ZERO;
    }

    private void note(OtlpAnswer answer) {
        rejected += Math.min(answer.rejected(), Long.MAX_VALUE - rejected);
        if (!warned && (answer.rejected() > 0 || !answer.message().isEmpty())) {
            warned = true;
            console.warn("the receiver says: " + shortened(answer.message())
                    + (answer.rejected() > 0 ? "; rejected=" + answer.rejected() : ""));
        }
    }
}
