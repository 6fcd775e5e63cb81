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

/** The environment of one command: streams, variables, clock, Ctrl-C. Tests create their own. */
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

    /** The process's own console. */
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

    /** Standard error: all output except data. */
    public PrintStream err() {
        return err;
    }

    /** Writes one line for the user, such as a resolved time range. Escapes hidden characters. */
    public void say(String line) {
        say(line, "");
    }

    /** Like {@link #say}, for errors and missing data. */
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

    /** Shows a status line that the next line replaces; on terminals only. */
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

    /** Sets a listener for the outcome of a query. */
    public void onOutcome(Consumer<Map<String, Object>> listener) {
        outcomes = listener;
    }

    /** Reports the outcome of a query: what its answer lacks, and the work done. */
    public void outcome(Map<String, Object> outcome) {
        outcomes.accept(outcome);
    }

    /** Sets how commands attach to the store in a directory; the default is {@link LoomReader}. */
    public void stores(Function<Path, Store> attach) {
        stores = attach;
    }

    /** Attaches to the store in a directory; the caller closes it. */
    public Store attach(Path directory) {
        return stores.apply(directory);
    }

    /** Sets the budget from which queries reserve memory; unlimited by default. */
    public void memory(QueryMemory reservedFrom) {
        memory = reservedFrom;
    }

    /** The budget from which queries reserve memory. */
    public QueryMemory memory() {
        return memory;
    }

    public boolean outTerminal() {
        return outTerminal;
    }

    public boolean errTerminal() {
        return errTerminal;
    }

    /** Columns of the terminal: from {@code COLUMNS}, else from the terminal itself, else 80. */
    public int columns() {
        try {
            int columns = Integer.parseInt(environment.getOrDefault("COLUMNS", ""));
            if (columns > 0) {
                return columns;
            }
        } catch (NumberFormatException e) {
            // not a number: ask the terminal
        }
        return outTerminal ? Terminals.columns() : Terminals.COLUMNS_DEFAULT;
    }

    /** Sets when to use colours; the default is {@link Colours#AUTO}. */
    public void colours(Colours when) {
        colours = when;
    }

    /** Whether standard output is coloured. */
    public boolean outColour() {
        return coloured(outTerminal);
    }

    /** Whether standard error is coloured. */
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
