package dev.loom.cli.console;

import dev.loom.server.text.DataOutput;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.time.EpochTime;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The environment of one command: streams, variables, clock, Ctrl-C. Tests create their own. */
public final class Console {
    private static final String CLEAR_LINE = "\r\u001b[K";
    private static final String RED = "\u001b[31m";
    private static final long ANSWER_CHECK_MS = 50;
    private static final String PLAIN = "\u001b[0m";

    private final InputStream in;
    private final DataOutput out;
    private final PrintStream err;
    private final boolean outTerminal;
    private final boolean errTerminal;
    private final Map<String, String> environment;
    private final LongSupplier clock;
    private final Interruption interruption;
    private Colours colours = Colours.AUTO;
    private boolean inTerminal;
    private boolean statusShown;

    public Console(
            InputStream in,
            DataOutput out,
            OutputStream err,
            boolean outTerminal,
            boolean errTerminal,
            Map<String, String> environment,
            LongSupplier clock) {
        this(in, out, err, outTerminal, errTerminal, environment, clock, new Interruption());
        if (errTerminal && (outTerminal || out.isPipe())) {
            out.beforeSending(this::clearStatus); // a pipe may lead to the same terminal
        }
    }

    private Console(
            InputStream in,
            DataOutput out,
            OutputStream err,
            boolean outTerminal,
            boolean errTerminal,
            Map<String, String> environment,
            LongSupplier clock,
            Interruption interruption) {
        this.in = in;
        this.out = out;
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.outTerminal = outTerminal;
        this.errTerminal = errTerminal;
        this.environment = Map.copyOf(environment);
        this.clock = clock;
        this.interruption = interruption;
    }

    /** This console with a file, which may be a terminal's, as its output. */
    public Console withOutput(DataOutput other, Path file) {
        Console redirected =
                new Console(in, other, err, isTerminal(file), errTerminal, environment, clock, interruption);
        redirected.colours(colours);
        redirected.inTerminal = inTerminal;
        return redirected;
    }

    /** Whether a file is a terminal, by whatever name. */
    public static boolean isTerminal(Path file) {
        try {
            return Terminals.isTerminalPath(file.toRealPath());
        } catch (IOException e) {
            return false; // it is not there
        }
    }

    /** The process's own console. */
    public static Console ofProcess() {
        Console console = new Console(
                new FileInputStream(FileDescriptor.in),
                new DataOutput(new FileOutputStream(FileDescriptor.out), Terminals.isPipe(Terminals.OUT)),
                new FileOutputStream(FileDescriptor.err),
                Terminals.isTerminal(Terminals.OUT),
                Terminals.isTerminal(Terminals.ERR),
                System.getenv(),
                () -> EpochTime.of(Instant.now()));
        console.answersFromTerminal(Terminals.isTerminal(Terminals.IN));
        return console;
    }

    /** Sets whether standard input is a terminal; by default it is none. */
    public void answersFromTerminal(boolean terminal) {
        inTerminal = terminal;
    }

    /** Whether somebody can be asked: standard input and error are terminals. */
    public boolean asks() {
        return inTerminal && errTerminal;
    }

    /**
     * Asks a question on standard error and waits for one line on standard input.
     *
     * @return the answer; empty if the input has ended
     * @throws CommandFailure on Ctrl-C
     */
    public Optional<String> ask(String question) throws IOException {
        clearStatus();
        err.print("loom: " + HiddenCharacters.escaped(question));
        err.flush();
        // a read of a terminal can't be interrupted
        FutureTask<Optional<String>> answer = new FutureTask<>(this::readLine);
        Thread reading = new Thread(answer, "loom-answer");
        reading.setDaemon(true);
        reading.start();
        try {
            while (!interruption.requested()) {
                try {
                    return answer.get(ANSWER_CHECK_MS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    // look for Ctrl-C, then wait again
                }
            }
        } catch (ExecutionException e) {
            throw new IOException("can't read the answer: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted at a question");
    }

    private Optional<String> readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        while (next >= 0 && next != '\n') {
            line.write(next);
            next = in.read();
        }
        return next < 0 ? Optional.empty() : Optional.of(line.toString(StandardCharsets.UTF_8));
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
        clearStatus();
        err.println(colour + "loom: " + (colour.isEmpty() ? "" : PLAIN) + HiddenCharacters.escaped(line));
    }

    /** Whether a status line has a line of its own: standard error is a terminal, on which no line of output is half written. */
    boolean hasRoomForStatus() {
        return errTerminal && (!outTerminal || out.atLineStart());
    }

    /** Shows a status line that the next line replaces, of a message or of output. */
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

    /** Whether the locale's characters include those that charts are drawn with; true without a locale. */
    public boolean unicode() {
        return Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .map(name -> environment.getOrDefault(name, ""))
                .filter(locale -> !locale.isEmpty())
                .findFirst()
                .map(locale -> locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8"))
                .orElse(true);
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
