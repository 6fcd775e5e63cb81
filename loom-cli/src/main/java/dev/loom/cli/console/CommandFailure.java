package dev.loom.cli.console;

/** Ends a command with one line on standard error and an exit code. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private enum Kind {
        ANY,
        NOT_FOUND,
        REFUSED
    }

    private final int exitCode;
    private final Kind kind;

    public CommandFailure(int exitCode, String message) {
        this(exitCode, message, Kind.ANY);
    }

    private CommandFailure(int exitCode, String message, Kind kind) {
        super(message);
        this.exitCode = exitCode;
        this.kind = kind;
    }

    public CommandFailure(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
        this.kind = Kind.ANY;
    }

    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** An invalid request; the exception has the reason. */
    public static CommandFailure usage(String before, IllegalArgumentException e) {
        return new CommandFailure(ExitCode.USAGE, before + e.getMessage(), e);
    }

    /** A command names something that does not exist. */
    public static CommandFailure notFound(String message) {
        return new CommandFailure(ExitCode.USAGE, message, Kind.NOT_FOUND);
    }

    /** A valid command that is not allowed. */
    public static CommandFailure refused(String message) {
        return new CommandFailure(ExitCode.USAGE, message, Kind.REFUSED);
    }

    /** Whether the command is valid but not allowed. */
    public boolean isRefused() {
        return kind == Kind.REFUSED;
    }

    /** Whether the command names something that does not exist. */
    public boolean notFound() {
        return kind == Kind.NOT_FOUND;
    }

    public int exitCode() {
        return exitCode;
    }
}
