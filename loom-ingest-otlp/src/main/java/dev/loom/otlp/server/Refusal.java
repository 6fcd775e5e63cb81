package dev.loom.otlp.server;

/**
 * Why a request is not served, and what its client is told.
 *
 * @param reason the kind, which decides the codes
 * @param message English, for the client's operator
 * @param retryDelayMs after how long the same request may be served, ms; 0 when there is nothing to say about it
 */
public record Refusal(Reason reason, String message, long retryDelayMs) {
    /** A refusal that does not ask for the request again. */
    public Refusal(Reason reason, String message) {
        this(reason, message, 0);
    }

    /** Kinds of refusal, with the status codes of both protocols. */
    public enum Reason {
        /** The request can't be read, now or ever. */
        MALFORMED(400, 3),
        /** A content encoding that is not known here. */
        UNSUPPORTED_ENCODING(400, 12),
        /** No token, or a wrong one. */
        UNAUTHENTICATED(401, 16),
        /** A host or an origin that is not allowed. */
        FORBIDDEN(403, 7),
        /** Nothing is served there. */
        NOT_FOUND(404, 12),
        /** Another method is wanted. */
        METHOD_NOT_ALLOWED(405, 12),
        /** The body did not arrive in time. */
        TIMED_OUT(408, 4),
        /** More bytes than are accepted. */
        TOO_LARGE(413, 8),
        /** Another content type is wanted. */
        UNSUPPORTED_MEDIA_TYPE(415, 3),
        /** A failure of the server's own that sending again may not heal. */
        INTERNAL(500, 13),
        /** Not now: the request is to be sent again. */
        UNAVAILABLE(503, 14);

        private final int httpStatus;
        private final int grpcStatus;

        Reason(int httpStatus, int grpcStatus) {
            this.httpStatus = httpStatus;
            this.grpcStatus = grpcStatus;
        }

        /** HTTP's status code. */
        public int httpStatus() {
            return httpStatus;
        }

        /** gRPC's status code, also that of {@code google.rpc.Status}. */
        public int grpcStatus() {
            return grpcStatus;
        }
    }
}
