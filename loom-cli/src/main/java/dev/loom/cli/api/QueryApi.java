package dev.loom.cli.api;

import dev.loom.api.Store;
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
import dev.loom.cli.text.TextBuffer;
import dev.loom.cli.time.EpochTime;
import dev.loom.error.LoomException;
import dev.loom.query.QueryMemory;
import dev.loom.query.where.Quantity;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Answers each request by running the command that it names. Usable from any thread. */
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

    private static final Set<String> READING = Set.of("scan", "agg", "hist", "top", "correlate", "search", "tail");
    private static final String FOLLOW = "follow";

    /** A query's memory besides what its operators state: buffers and the parsed request. */
    private static final long MEMORY_BYTES = 256 << 10;

    /** The subcommand that runs for commands with several. */
    private static final String LIST = "list";

    /** The outcome of commands that read no records. */
    private static final Map<String, Object> WHOLE =
            new TreeMap<>(Map.of("complete", true, "lost", 0, "stats", Map.of()));

    private final Path directory;
    private final Supplier<Store> store;
    private final Duration timeMax;
    private final QueryMemory memory;

    /**
     * Prepares to answer from a store.
     *
     * @param store supplies the store; each query closes what it gets
     * @param timeMax the longest time of a query that does not run until its client leaves
     * @param memory the memory budget of all queries together
     */
    public QueryApi(Path directory, Supplier<Store> store, Duration timeMax, QueryMemory memory) {
        this.directory = directory;
        this.store = store;
        this.timeMax = timeMax;
        this.memory = memory;
    }

    /** The names of all commands. */
    public static Set<String> names() {
        return COMMANDS.keySet();
    }

    /** Whether a command reads records, which may take long. */
    public static boolean reads(String name) {
        return READING.contains(name);
    }

    /** Whether a request asks for records until its client leaves. */
    public static boolean follows(byte[] body) {
        try {
            return Boolean.TRUE.equals(JsonObject.parse(body).get(FOLLOW));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A query that can be cancelled. */
    public final class Run {
        private final CommandLine command;
        private final Console console;
        private final List<String> arguments;
        private Map<String, Object> outcome = WHOLE;
        private @Nullable Exception failure;

        /**
         * Prepares the query; writes nothing yet.
         *
         * @param body the request, a JSON object
         * @param out takes the answer
         * @throws ApiFailure if the request is invalid
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
            console.stores(path -> store.get());
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
            if (reads && !Boolean.TRUE.equals(request.get(FOLLOW))) {
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
         * Writes the answer; its last line is the outcome.
         *
         * @throws ApiFailure if there is no answer, if it broke off, or if memory ran out
         * @throws BrokenPipeException if the client has gone
         * @throws UncheckedIOException if the client has gone
         */
        public void run() {
            try (QueryMemory part = memory.part()) {
                part.reserve(MEMORY_BYTES);
                console.memory(part);
                answer();
            } catch (QueryMemory.Exhausted e) {
                throw apiFailure(e);
            } catch (OutOfMemoryError e) {
                // what the query held is garbage now
                throw new ApiFailure(503, "out_of_memory", "heap is used up: " + e.getMessage());
            }
        }

        private void answer() {
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

        /** Makes the query end soon. Usable from any thread. */
        public void cancel() {
            console.interruption().request();
        }

        /** The outcome, as in the answer's last line. */
        public Map<String, Object> outcome() {
            return outcome;
        }
    }

    private static RuntimeException apiFailure(Exception e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof CommandFailure failure) {
            return ApiFailure.of(failure);
        } else if (e instanceof QueryMemory.Exhausted exhausted) {
            return exhausted.mayPass()
                    ? new ApiFailure(429, "out_of_memory", message)
                    : new ApiFailure(413, "too_large", message);
        } else if (e instanceof LoomException) {
            return new ApiFailure(500, "store", message);
        } else if (e instanceof ApiFailure || e instanceof BrokenPipeException || e instanceof UncheckedIOException) {
            return (RuntimeException) e;
        }
        return new ApiFailure(500, "internal", "internal error: " + e);
    }
}
