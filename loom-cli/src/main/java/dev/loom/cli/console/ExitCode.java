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

    /** Ended by SIGHUP. */
    public static final int HUNG_UP = 129;

    /** Ended by SIGINT, or in another way before all was done. */
    public static final int INTERRUPTED = 130;

    /** Ended by SIGTERM. */
    public static final int TERMINATED = 143;

    private ExitCode() {}
}
