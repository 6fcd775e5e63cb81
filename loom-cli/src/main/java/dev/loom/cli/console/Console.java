package dev.loom.cli.console;

import dev.loom.LoomReader;
import dev.loom.api.Store;
import dev.loom.cli.text.HiddenCharacters;
import dev.loom.cli.time.EpochTime;
import dev.loom.query.QueryMemory;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** The world around one command: streams, environment, clock, Ctrl-C. Tests make their own. */
public final class Console {
    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final String RED = "\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    private final InputStream in;
    private final DataOutput out;
    private final PrintStream err;
    private final boolean outTerminal;
    private final boolean errTerminal;
    private final Map<String, String> environment;
    private final LongSupplier clock;
    private final Interruption interruption = new Interruption();
    private Consumer<Map<String, Object>> outcomes = outcome -> {};
    private Function<Path, Store> stores = LoomReader::attach;
    private QueryMemory memory = QueryMemory.UNLIMITED;
    private Colours colours = Colours.AUTO;
    private boolean statusShown;

    public Console(
            InputStream in,
            OutputStream out,
            OutputStream err,
            boolean outTerminal,
            boolean errTerminal,
            Map<String, String> environment,
            LongSupplier clock) {
        this(in, new DataOutput(out, false), err, outTerminal, errTerminal, environment, clock);
    }

    private Console(
            InputStream in,
            DataOutput out,
            OutputStream err,
            boolean outTerminal,
            boolean errTerminal,
            Map<String, String> environment,
            LongSupplier clock) {
        this.in = in;
        this.out = out;
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.outTerminal = outTerminal;
        this.errTerminal = errTerminal;
        this.environment = Map.copyOf(environment);
        this.clock = clock;
    }

    /** The process's own. */
    public static Console ofProcess() {
        return new Console(
                new FileInputStream(FileDescriptor.in),
                new DataOutput(new FileOutputStream(FileDescriptor.out), Terminals.isPipe(Terminals.OUT)),
                new FileOutputStream(FileDescriptor.err),
                Terminals.isTerminal(Terminals.OUT),
                Terminals.isTerminal(Terminals.ERR),
                System.getenv(),
                () -> EpochTime.of(Instant.now()));
    }

    public InputStream in() {
        return in;
    }

    public DataOutput out() {
        return out;
    }

    /** Standard error: all that is not data. */
    public PrintStream err() {
        return err;
    }

    /** Writes one line for the user, such as an error or a resolved time range. Hidden characters are escaped. */
    public void say(String line) {
        say(line, "");
    }

    /** As {@link #say}, of what went wrong, or lacks something. */
    public void warn(String line) {
        say(line, errColour() ? RED : "");
    }

    private void say(String line, String colour) {
        StringBuilder visible = new StringBuilder(colour).append("loom: ").append(colour.isEmpty() ? "" : PLAIN);
        line.codePoints().forEach(codePoint -> {
            if (HiddenCharacters.hides(codePoint)) {
                visible.append(String.format("\\u%04x", codePoint));
            } else {
                visible.appendCodePoint(codePoint);
            }
        });
        clearStatus();
        err.println(visible);
    }

    /** Shows a line that the next one takes the place of; for terminals alone. */
    void showStatus(String line) {
        err.print(CLEAR_LINE + line);
        err.flush();
        statusShown = true;
    }

    void clearStatus() {
        if (statusShown) {
            err.print(CLEAR_LINE);
            err.flush();
            statusShown = false;
        }
    }

    /** Names who wants to know how a query ended. */
    public void onOutcome(Consumer<Map<String, Object>> listener) {
        outcomes = listener;
    }

    /** Tells how a query ended: what its answer lacks, and the work it was. */
    public void outcome(Map<String, Object> outcome) {
        outcomes.accept(outcome);
    }

    /** Sets how commands attach to the store of a directory, by default as {@link LoomReader} does. */
    public void stores(Function<Path, Store> attach) {
        stores = attach;
    }

    /** The store of a directory, to be read and closed. */
    public Store attach(Path directory) {
        return stores.apply(directory);
    }

    /** Sets where queries reserve what they hold, by default without limit. */
    public void memory(QueryMemory reservedFrom) {
        memory = reservedFrom;
    }

    /** Where queries reserve what they hold. */
    public QueryMemory memory() {
        return memory;
    }

    public boolean outTerminal() {
        return outTerminal;
    }

    public boolean errTerminal() {
        return errTerminal;
    }

    /** Columns of the terminal: what {@code COLUMNS} says, or the terminal itself, or 80. */
    public int columns() {
        try {
            int columns = Integer.parseInt(environment.getOrDefault("COLUMNS", ""));
            if (columns > 0) {
                return columns;
            }
        } catch (NumberFormatException e) {
            // not said
        }
        return outTerminal ? Terminals.columns() : Terminals.COLUMNS_DEFAULT;
    }

    /** Sets when there are colours, by default {@link Colours#AUTO}. */
    public void colours(Colours when) {
        colours = when;
    }

    /** Whether what goes to standard output is coloured. */
    public boolean outColour() {
        return coloured(outTerminal);
    }

    /** Whether what goes to standard error is coloured. */
    boolean errColour() {
        return coloured(errTerminal);
    }

    private boolean coloured(boolean terminal) {
        return switch (colours) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO -> terminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
        };
    }

    public boolean debug() {
        return !environment.getOrDefault("LOOM_DEBUG", "").isEmpty();
    }

    public Map<String, String> environment() {
        return environment;
    }

    /** Now, in epoch nanoseconds. */
    public long nowNs() {
        return clock.getAsLong();
    }

    public Interruption interruption() {
        return interruption;
    }
}
