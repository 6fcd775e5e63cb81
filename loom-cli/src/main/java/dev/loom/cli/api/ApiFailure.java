package dev.loom.cli.api;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.text.ShortText;

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

    /** Translates a command's failure. */
    public static ApiFailure of(CommandFailure failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure.notFound()) {
            return notFound(message);
        } else if (failure.isRefused()) {
            return new ApiFailure(403, "forbidden", message);
        }
        return failure.exitCode() == ExitCode.USAGE ? badRequest(message) : new ApiFailure(500, "failed", message);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
