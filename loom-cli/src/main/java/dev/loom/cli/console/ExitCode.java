package dev.loom.cli.console;

/** The exit codes of the {@code loom} command. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int INTERNAL = 1;
    public static final int USAGE = 2;
    /** The store is missing, locked or damaged. */
    public static final int STORE = 3;
    /** A limit or a timeout ended the command; what it did until then stands. */
    public static final int LIMIT = 4;
    /** A sidecar can't be reached or went away. */
    public static final int REMOTE = 5;
    /** With {@code --strict}: records in the range were lost. */
    public static final int LOST = 6;

    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
