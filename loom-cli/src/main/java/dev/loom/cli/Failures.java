package dev.loom.cli;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.error.LoomException;
import dev.loom.otlp.file.FileFailure;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.service.RequestException;
import dev.loom.server.client.SidecarException;
import dev.loom.server.request.RefusedException;
import dev.loom.server.text.BrokenPipeException;
import dev.loom.server.text.ShortText;
import dev.loom.server.text.SimilarText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Reports why a command failed in one line, and returns its exit code. What the command has printed stays printed. */
final class Failures implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final Pattern CHOICES = Pattern.compile("\\[(\\w[\\w, -]*)] \\(case-insensitive\\)");

    private final Console console;

    Failures(Console console) {
        this.console = console;
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName(" ");
        console.warn(ShortText.of(reason(e)) + suggestion(e) + "; see " + command + " --help");
        traceIfWanted(e);
        return ExitCode.USAGE;
    }

    /** The known command or option most similar to an unknown one. */
    private static String suggestion(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return "";
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String written = unmatched.getUnmatched().get(0);
        Collection<String> known = written.startsWith("-")
                ? spec.optionsMap().keySet()
                : spec.subcommands().keySet();
        return SimilarText.suggestion(written, known);
    }

    /** Picocli lists an option's choices by their Java names; here they are as the user types them. */
    private static String reason(ParameterException e) {
        String message = String.valueOf(e.getMessage()).replace('\n', ' ');
        Matcher choices = CHOICES.matcher(message);
        return choices.replaceAll(found -> Stream.of(found.group(1).split(", ", -1))
                .filter(choice -> choice.indexOf('_') < 0)
                .map(choice -> choice.toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", ")));
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine commandLine, ParseResult result) {
        if (e instanceof BrokenPipeException) {
            // The reader has seen enough, as head does.
            return ExitCode.OK;
        }
        console.out().flush();
        traceIfWanted(e);
        String message = ShortText.of(String.valueOf(e.getMessage()));
        if (e instanceof CommandFailure failure) {
            return fail(failure.exitCode(), message);
        } else if (e instanceof RefusedException) {
            return fail(ExitCode.USAGE, message);
        } else if (e instanceof SidecarException) {
            return fail(ExitCode.REMOTE, message);
        } else if (e instanceof RequestException request) {
            String option = request.part().isEmpty() ? "" : request.part().length() == 1 ? "-" : "--";
            return fail(ExitCode.USAGE, ShortText.of(option + request.getMessage()));
        } else if (e instanceof GroupLimitException limit) {
            return fail(
                    ExitCode.LIMIT,
                    message
                            + switch (limit.cap()) {
                                case GROUPS ->
                                    "; --groups-max sets the cap, --rest other counts those beyond it as (other)";
                                case DISTINCT_VALUES ->
                                    "; --distinct-max sets the cap, --rest other leaves those beyond it out";
                                case GROUPS_AND_STEPS -> "; a longer --step or a shorter range makes fewer";
                                case SERIES -> "; --series-max sets the cap, --where leaves series out";
                                case KEY_BYTES -> "; --rest other counts it as (other)";
                                case VALUE_BYTES -> "; --rest other leaves it out";
                            });
        } else if (e instanceof TraceLimitException) {
            return fail(
                    ExitCode.LIMIT,
                    message + "; --records-max sets the cap, --no-logs leaves out log records, and --json has no cap");
        } else if (e instanceof QueryMemory.Exhausted) {
            return fail(ExitCode.LIMIT, message + "; LOOM_JAVA_OPTS=-Xmx2g, for example, allows more");
        } else if (e instanceof CancellationException) {
            return fail(ExitCode.INTERRUPTED, "interrupted; " + message);
        } else if (e instanceof LoomException) {
            return fail(ExitCode.STORE, String.valueOf(e.getMessage()));
        } else if (e instanceof IOException || e instanceof UncheckedIOException) {
            return failedIo(e);
        }
        return failedInternally(e);
    }

    /** Reports an error, which may be the want of memory. */
    int failedBy(Throwable e) {
        try {
            console.out().flush();
            traceIfWanted(e);
        } catch (RuntimeException unwritable) {
            // whoever reads the output has gone, and the error is still to be reported
        }
        return failedInternally(e);
    }

    private int failedInternally(Throwable e) {
        return fail(ExitCode.INTERNAL, "internal error: " + e + "; set LOOM_DEBUG=1 for details");
    }

    private int fail(int exitCode, String reason) {
        console.warn(reason);
        return exitCode;
    }

    int failedIo(Exception e) {
        String reason = e instanceof UncheckedIOException unchecked
                ? FileFailure.describe(Objects.requireNonNull(unchecked.getCause()))
                : e instanceof IOException checked ? FileFailure.describe(checked) : String.valueOf(e.getMessage());
        return fail(ExitCode.INTERNAL, "input or output failed: " + reason);
    }

    private void traceIfWanted(Throwable e) {
        if (console.debug()) {
            e.printStackTrace(console.err());
        }
    }
}
