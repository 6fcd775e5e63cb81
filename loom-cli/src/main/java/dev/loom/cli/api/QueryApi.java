package dev.loom.cli.api;

import dev.loom.cli.console.BrokenPipeException;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.output.Listing;
import dev.loom.cli.query.AggCommand;
import dev.loom.cli.query.CorrelateCommand;
import dev.loom.cli.query.HistCommand;
import dev.loom.cli.query.ScanCommand;
import dev.loom.cli.query.SearchCommand;
import dev.loom.cli.query.TailCommand;
import dev.loom.cli.query.TopCommand;
import dev.loom.cli.store.IndexCommand;
import dev.loom.cli.store.InfoCommand;
import dev.loom.cli.store.SourcesCommand;
import dev.loom.cli.text.JsonObject;
import dev.loom.cli.text.Quantity;
import dev.loom.cli.text.TextBuffer;
import dev.loom.cli.time.EpochTime;
import dev.loom.error.LoomException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Answers requests by running the command of their name. Usable from any thread. */
public final class QueryApi {
    private static final Map<String, Function<Console, CommandLine>> COMMANDS = Map.of(
            "scan", console -> new CommandLine(new ScanCommand(console)),
            "agg", console -> new CommandLine(new AggCommand(console)),
            "hist", console -> new CommandLine(new HistCommand(console)),
            "top", console -> new CommandLine(new TopCommand(console)),
            "correlate", console -> new CommandLine(new CorrelateCommand(console)),
            "search", console -> new CommandLine(new SearchCommand(console)),
            "tail", console -> new CommandLine(new TailCommand(console)),
            "sources", console -> new CommandLine(new SourcesCommand(console)),
            "indexes", console -> new CommandLine(new IndexCommand(console)),
            "info", console -> new CommandLine(new InfoCommand(console)));

    /** The command of those that have several. */
    private static final String LIST = "list";

    /** Of what reads no records. */
    private static final Map<String, Object> WHOLE =
            new TreeMap<>(Map.of("complete", true, "lost", 0, "stats", Map.of()));

    private final Path directory;
    private final Duration timeMax;

    /**
     * Prepares to answer from a store.
     *
     * @param timeMax of a query that does not go on until its client leaves
     */
    public QueryApi(Path directory, Duration timeMax) {
        this.directory = directory;
        this.timeMax = timeMax;
    }

    /** The names of all commands. */
    public static Set<String> names() {
        return COMMANDS.keySet();
    }

    /** A query that can be cancelled. */
    public final class Run {
        private final CommandLine command;
        private final Console console;
        private final List<String> arguments;
        private Map<String, Object> outcome = WHOLE;
        private @Nullable Exception failure;

        /**
         * Prepares it; nothing is written yet.
         *
         * @param body the request, a JSON object
         * @param out takes the answer
         * @throws ApiFailure when the request is not as it should be
         */
        public Run(String name, byte[] body, OutputStream out) {
            console = new Console(
                    InputStream.nullInputStream(),
                    out,
                    OutputStream.nullOutputStream(),
                    false,
                    false,
                    Map.of(),
                    () -> EpochTime.of(Instant.now()));
            console.onOutcome(ended -> outcome = ended);
            Function<Console, CommandLine> maker = COMMANDS.get(name);
            if (maker == null) {
                throw ApiFailure.notFound("unknown query: " + name);
            }
            command = maker.apply(console);
            CommandLine list = command.getSubcommands().get(LIST);
            arguments = arguments(list == null ? command.getCommandSpec() : list.getCommandSpec(), body);
            if (list != null) {
                arguments.add(0, LIST);
            }
        }

        private List<String> arguments(CommandSpec spec, byte[] body) {
            Map<String, @Nullable Object> request;
            try {
                request = new HashMap<>(JsonObject.parse(body));
            } catch (IllegalArgumentException e) {
                throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
            }
            boolean reads = spec.findOption("--timeout") != null;
            if (reads && !Boolean.TRUE.equals(request.get("follow"))) {
                request.put("timeout", timeout(request.get("timeout")));
            }
            List<String> complete = new ArrayList<>();
            complete.add("--dir=" + directory);
            complete.add("--output=json");
            complete.addAll(new RequestArguments(spec).of(request));
            return complete;
        }

        private String timeout(@Nullable Object asked) {
            long maxNs = timeMax.toNanos();
            try {
                return Math.min(maxNs, asked == null ? maxNs : Quantity.durationNs(asked.toString())) + "ns";
            } catch (IllegalArgumentException e) {
                throw ApiFailure.badRequest("timeout: " + e.getMessage());
            }
        }

        /**
         * Writes the answer, and as its last line how it ended.
         *
         * @throws ApiFailure when there is no answer, or it broke off
         * @throws BrokenPipeException when the client has gone
         * @throws UncheckedIOException likewise
         */
        public void run() {
            command.setCaseInsensitiveEnumValuesAllowed(true)
                    .setParameterExceptionHandler(
                            (e, texts) -> fail(ApiFailure.badRequest(String.valueOf(e.getMessage()))))
                    .setExecutionExceptionHandler((e, line, result) -> fail(e));
            command.execute(arguments.toArray(String[]::new));
            if (failure != null) {
                throw apiFailure(failure);
            } else if ("time".equals(outcome.get("limit")) && console.out().untouched()) {
                throw new ApiFailure(504, "timeout", "the query's time was over before it found anything");
            }
            TextBuffer end = new TextBuffer(256);
            Listing.putJson(end, Map.of("end", outcome));
            end.put('\n');
            console.out().write(end);
            console.out().flush();
        }

        private int fail(Exception e) {
            failure = e;
            return ExitCode.INTERNAL;
        }

        /** Ends it soon. Any thread. */
        public void cancel() {
            console.interruption().request();
        }

        /** How it ended, as its last line says. */
        public Map<String, Object> outcome() {
            return outcome;
        }
    }

    private static RuntimeException apiFailure(Exception e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof CommandFailure failure) {
            return ofCommand(failure, message);
        } else if (e instanceof LoomException) {
            return new ApiFailure(500, "store", message);
        } else if (e instanceof ApiFailure || e instanceof BrokenPipeException || e instanceof UncheckedIOException) {
            return (RuntimeException) e;
        }
        return new ApiFailure(500, "internal", "internal error: " + e);
    }

    private static ApiFailure ofCommand(CommandFailure failure, String message) {
        if (failure.notFound()) {
            return ApiFailure.notFound(message);
        }
        return failure.exitCode() == ExitCode.USAGE
                ? ApiFailure.badRequest(message)
                : new ApiFailure(500, "failed", message);
    }
}
