package dev.loom.cli.console;

/** The exit codes of the {@code loom} command. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int INTERNAL = 1;
    public static final int USAGE = 2;
    /** The store is missing, locked or damaged. */
    public static final int STORE = 3;
    /** A limit or a time-out ended the command; what was done until then stands. */
    public static final int LIMIT = 4;
    /** A sidecar can't be reached, or went away. */
    public static final int REMOTE = 5;
    /** Records were lost in the range asked for, with {@code --strict}. */
    public static final int LOST = 6;

    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
