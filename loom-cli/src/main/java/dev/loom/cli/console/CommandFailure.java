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

    /** Of what can't be asked so, as the exception says. */
    public static CommandFailure usage(String before, IllegalArgumentException e) {
        return new CommandFailure(ExitCode.USAGE, before + e.getMessage(), e);
    }

    /** Of a command that names something that is not there. */
    public static CommandFailure notFound(String message) {
        return new CommandFailure(ExitCode.USAGE, message, Kind.NOT_FOUND);
    }

    /** Of a command that is well-formed and not allowed. */
    public static CommandFailure refused(String message) {
        return new CommandFailure(ExitCode.USAGE, message, Kind.REFUSED);
    }

    /** Whether the command is well-formed and not allowed. */
    public boolean isRefused() {
        return kind == Kind.REFUSED;
    }

    /** Whether the command names something that is not there. */
    public boolean notFound() {
        return kind == Kind.NOT_FOUND;
    }

    public int exitCode() {
        return exitCode;
    }
}
