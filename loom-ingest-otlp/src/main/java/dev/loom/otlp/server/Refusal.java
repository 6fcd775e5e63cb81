package dev.loom.otlp.server;

import java.time.Duration;

/**
 * Why a request is not served, and what its client gets.
 *
 * @param reason the kind, which decides the status codes
 * @param message English, for the client's operator; at most 500 characters, as gRPC has it in headers, twice, and one that is too long
 *     would end all that goes over the connection
 * @param retryDelay after which the same request may be served; zero if that is not known
 */
public record Refusal(Reason reason, String message, Duration retryDelay) {
    private static final int MESSAGE_MAX = 500;

    public Refusal {
        message = message.length() <= MESSAGE_MAX ? message : message.substring(0, MESSAGE_MAX - 3) + "...";
    }

    /** A refusal that does not ask to retry. */
    public Refusal(Reason reason, String message) {
        this(reason, message, Duration.ZERO);
    }

    /** A refusal that asks to retry in a second. */
    static Refusal later(String message) {
        return new Refusal(Reason.UNAVAILABLE, message, Duration.ofSeconds(1));
    }

    /** Kinds of refusal, with the status codes of both protocols. */
    public enum Reason {
        /** The request can't be read, now or ever. */
        MALFORMED(400, 3),
        /** The content encoding is not supported. */
        UNSUPPORTED_ENCODING(400, 12),
        /** The token is missing or wrong. */
        UNAUTHENTICATED(401, 16),
        /** The host or the origin is not allowed. */
        FORBIDDEN(403, 7),
        /** Nothing is served at this path. */
        NOT_FOUND(404, 12),
        /** Another method is required. */
        METHOD_NOT_ALLOWED(405, 12),
        /** The request is larger than accepted. */
        TOO_LARGE(413, 8),
        /** Another content type is required. */
        UNSUPPORTED_MEDIA_TYPE(415, 3),
        /** The server failed; a retry may fail again. */
        INTERNAL(500, 13),
        /** Not now: the client should retry. */
        UNAVAILABLE(503, 14),
        /** The body did not arrive in time; by the status 408, clients of OTLP/HTTP would not send it again. */
        TIMED_OUT(504, 4);

        private final int httpStatus;
        private final int grpcStatus;

        Reason(int httpStatus, int grpcStatus) {
            this.httpStatus = httpStatus;
            this.grpcStatus = grpcStatus;
        }

        /** The HTTP status code. */
        public int httpStatus() {
            return httpStatus;
        }

        /** The gRPC status code, also used in {@code google.rpc.Status}. */
        public int grpcStatus() {
            return grpcStatus;
        }
    }
}
