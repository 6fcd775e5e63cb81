package dev.loom.server.api;

import dev.loom.server.request.RefusedException;
import dev.loom.server.text.ShortText;

/** Ends a request with an HTTP status, a code for programs and a message for people. */
public final class ApiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    public ApiFailure(int status, String code, String message) {
        super(ShortText.of(message));
        this.status = status;
        this.code = code;
    }

    public static ApiFailure badRequest(String message) {
        return new ApiFailure(400, "bad_request", message);
    }

    public static ApiFailure notFound(String message) {
        return new ApiFailure(404, "not_found", message);
    }

    public static ApiFailure of(RefusedException refusal) {
        String message = String.valueOf(refusal.getMessage());
        return switch (refusal.reason()) {
            case INVALID -> badRequest(message);
            case NOT_FOUND -> notFound(message);
            case FORBIDDEN -> new ApiFailure(403, "forbidden", message);
        };
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
