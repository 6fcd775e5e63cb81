package dev.loom.cli.api;

/** Ends a request, with a status of HTTP, a code for programs and a message for people. */
public final class ApiFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    public ApiFailure(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    public static ApiFailure badRequest(String message) {
        return new ApiFailure(400, "bad_request", message);
    }

    public static ApiFailure notFound(String message) {
        return new ApiFailure(404, "not_found", message);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
