package dev.loom.cli.console;

/** Ends a command with one line on standard error and an exit code. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final boolean notFound;

    public CommandFailure(int exitCode, String message) {
        this(exitCode, message, false);
    }

    private CommandFailure(int exitCode, String message, boolean notFound) {
        super(message);
        this.exitCode = exitCode;
        this.notFound = notFound;
    }

    public CommandFailure(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
        this.notFound = false;
    }

    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    /** Of a command that names something that is not there. */
    public static CommandFailure notFound(String message) {
        return new CommandFailure(ExitCode.USAGE, message, true);
    }

    /** Whether the command names something that is not there. */
    public boolean notFound() {
        return notFound;
    }

    public int exitCode() {
        return exitCode;
    }
}
