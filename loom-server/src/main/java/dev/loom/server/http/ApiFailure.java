package dev.loom.server.http;

import dev.loom.server.request.RefusedException;
import dev.loom.server.text.ShortText;
import java.util.LinkedHashMap;
import java.util.Map;

/** Ends a request with an HTTP status, a code for programs and a message for people. */
public final class ApiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final transient Map<String, Object> details;
    private final String allowed;

    public ApiFailure(int status, String code, String message) {
        this(status, code, message, Map.of());
    }

    /** @param details for programs */
    public ApiFailure(int status, String code, String message, Map<String, Object> details) {
        this(status, code, message, details, "");
    }

    private ApiFailure(int status, String code, String message, Map<String, Object> details, String allowed) {
        super(ShortText.of(message));
        this.allowed = allowed;
        this.status = status;
        this.code = code;
        this.details = details;
    }

    public static ApiFailure badRequest(String message) {
        return new ApiFailure(400, "bad_request", message);
    }

    public static ApiFailure notFound(String message) {
        return new ApiFailure(404, "not_found", message);
    }

    /**
     * The path has no such method.
     *
     * @param expected those that it has, such as {@code GET or POST}
     */
    public static ApiFailure method(String expected, String method) {
        return new ApiFailure(
                405,
                "method_not_allowed",
                "method is not " + expected + ": " + method,
                Map.of(),
                expected.replace(" or ", ", "));
    }

    public static ApiFailure of(RefusedException refusal) {
        String message = String.valueOf(refusal.getMessage());
        return switch (refusal.reason()) {
            case INVALID -> badRequest(message);
            case NOT_FOUND -> notFound(message);
            case FORBIDDEN -> new ApiFailure(403, "forbidden", message);
        };
    }

    /** Code, message and details, as the answer has them. */
    public Map<String, Object> row() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("code", code);
        row.put("message", String.valueOf(getMessage()));
        row.putAll(details);
        return row;
    }

    public int status() {
        return status;
    }

    /** The methods that the path has, as a header lists them; empty if the method is not the matter. */
    public String allowed() {
        return allowed;
    }

    public String code() {
        return code;
    }
}
