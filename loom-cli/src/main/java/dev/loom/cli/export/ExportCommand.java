package dev.loom.cli.export;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.cli.archive.ArchiveWriter;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TimeOptions;
import dev.loom.cli.option.TypedOptions;
import dev.loom.cli.output.OutputFormat;
import dev.loom.otlp.file.FileFailure;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.TimeKind;
import dev.loom.server.text.BrokenPipeException;
import dev.loom.server.text.DataOutput;
import dev.loom.server.time.TimePrinter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loom export}: records of sources in a time range, as a file. */
@Command(
        name = "export",
        description = "Exports records in a time range: all sources as an archive that another store can import, the"
                + " records of one as csv or parquet, of several as jsonl, packets as pcapng, logs, spans or"
                + " metrics as OTLP.",
        mixinStandardHelpOptions = true)
public final class ExportCommand implements Callable<Integer> {
    private static final String NOTHING = "interrupted; nothing is exported";
    private static final String STANDARD_OUTPUT = "-";
    private static final int ETHERNET = 1;
    private static final int LINK_TYPE_MAX = 0xFFFF;

    /**
     * What an export lacks, and how much it has.
     *
     * @param leftOut records that the form can't hold, or the receiver does not take
     * @param damaged pages of the store, and records of several pages
     * @param deletion of records of the range
     * @param lost records that the store never had
     */
    record Outcome(long records, long leftOut, long damaged, Deletion deletion, long lost) {}

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "Output format: ${COMPLETION-CANDIDATES}; by default archive.")
    private ExportFormat format = ExportFormat.ARCHIVE;

    @Parameters(
            arity = "0..*",
            paramLabel = "SOURCE",
            description = "Names of sources, or # and an id; by default all that fit the format, oldest first.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--source", paramLabel = "SOURCE", description = "Another way to name a source; repeatable.")
    private List<String> alsoNamed = new ArrayList<>();

    @Option(
            names = "--column",
            paramLabel = "FIELD[:TYPE]",
            description = "For parquet: a column for a field that records name themselves, such as a key of JSON or"
                    + " attr.http.route; repeatable; by default of type utf8.")
    private List<String> columns = new ArrayList<>();

    @Mixin
    private TimeOptions time = new TimeOptions();

    @Option(
            names = "--output",
            paramLabel = "FILE",
            description = "The file to write, or - for standard output, which is the default.")
    private String output = STANDARD_OUTPUT;

    @Option(
            names = "--link-type",
            paramLabel = "NUMBER",
            description = "For pcapng: the link type of packets whose records have none, as in tcpdump's list; by"
                    + " default 1, Ethernet.")
    private @Nullable Integer linkType;

    @Mixin
    private OtlpOptions otlp = new OtlpOptions();

    @Option(names = "--force", fallbackValue = "true", description = "Overwrites the file if it exists.")
    private boolean force;

    @Spec
    private @Nullable CommandSpec command;

    public ExportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        RequestTimes asked = time.asked(!arrivalsAlone());
        asked.check(console.nowNs()); // before looking for a store, whose clock may be ahead
        requireSense(asked);
        ModuleExport module = format == ExportFormat.PARQUET ? new ModuleExport(format, columns) : null;
        try (Store reader = LoomReader.attach(store.directory());
                Snapshot snapshot = reader.snapshot();
                ExportFile file = toFile() ? ExportFile.create(Path.of(output), force) : null) {
            if (file != null) {
                console.interruption().beforeHalt(() -> abandon(file));
            }
            return export(reader, snapshot, asked, file, module);
        } catch (UncheckedIOException e) {
            throw unwritable(Objects.requireNonNull(e.getCause()));
        } catch (BrokenPipeException e) {
            if (format.isBinary()) {
                throw new CommandFailure(ExitCode.INTERNAL, format + " is incomplete: its reader has gone", e);
            }
            throw e;
        }
    }

    private void abandon(ExportFile file) {
        if (file.abandon()) {
            console.say(NOTHING);
        }
    }

    private CommandFailure unwritable(IOException cause) {
        String target = toFile() ? "file=" + output : "standard output";
        return new CommandFailure(
                ExitCode.INTERNAL,
                "can't write the export: " + target + ", reason=" + FileFailure.reason(cause),
                cause);
    }

    private boolean toFile() {
        return !output.equals(STANDARD_OUTPUT);
    }

    /** A typed --output beats the variable of an endpoint. */
    private boolean toEndpoint() {
        return format == ExportFormat.OTLP
                && !toFile()
                && otlp.given()
                && (otlp.typedEndpoint() || !TypedOptions.contains(command, "--output"));
    }

    /** Whether the format is of a range of the log, which arrival times are in order of. */
    private boolean arrivalsAlone() {
        return format == ExportFormat.ARCHIVE || format == ExportFormat.PARQUET;
    }

    private void requireSense(RequestTimes asked) {
        if (arrivalsAlone() && asked.kind() == TimeKind.EVENT) {
            throw CommandFailure.usage(
                    "--format " + format + " is a range of arrival times; --time event is for the other formats");
        } else if (format.isBinary() && (toFile() ? Console.isTerminal(Path.of(output)) : console.outTerminal())) {
            throw CommandFailure.usage("--format " + format + " is not for a terminal; name a file with --output");
        } else if (format != ExportFormat.PARQUET && TypedOptions.contains(command, "--column")) {
            throw CommandFailure.usage("--column is for parquet: --format " + format);
        } else if (TypedOptions.contains(command, "--force") && !toFile()) {
            throw CommandFailure.usage("--force is for a file that --output names");
        } else if (otlp.typedEndpoint() && !toEndpoint()) {
            throw CommandFailure.usage("--endpoint is for --format otlp, without --output");
        } else if (format != ExportFormat.PCAPNG && TypedOptions.contains(command, "--link-type")) {
            throw CommandFailure.usage("--link-type is for --format pcapng, not " + format);
        } else if (format == ExportFormat.PCAPNG && linkType != null && (linkType < 0 || linkType > LINK_TYPE_MAX)) {
            throw CommandFailure.usage("--link-type is out of range: link type=" + linkType + ", max=" + LINK_TYPE_MAX);
        }
        otlp.requireSense(toEndpoint());
    }

    private int export(
            Store reader,
            Snapshot snapshot,
            RequestTimes asked,
            @Nullable ExportFile file,
            @Nullable ModuleExport module)
            throws IOException {
        long startNs = System.nanoTime();
        RequestBuilder builder =
                new RequestBuilder(reader, snapshot, asked, console.nowNs(), QueryLimits.NONE, console::say);
        DataOutput out = file == null ? console.out() : file.out();
        RecordForm form = form(builder, out, new TimePrinter(asked.zone()));
        List<Source> sources = sources(snapshot, builder, form);
        if (!builder.range().equals(TimeRange.ALL)) {
            console.say(new TimePrinter(asked.zone()).text(builder.range(), asked.kind() == TimeKind.EVENT));
        }
        Outcome outcome;
        if (module != null) {
            try (Progress progress = new Progress(console, "records exported")) {
                outcome = module.write(snapshot, sources.get(0), builder.arrivals(), out, console, progress);
            }
        } else {
            outcome = form == null
                    ? archive(reader, snapshot, builder, sources, out)
                    : records(snapshot, builder, sources, form);
        }
        if (console.interruption().requested()) {
            console.say(file == null ? "interrupted; the export is incomplete" : NOTHING);
            return ExitCode.INTERRUPTED;
        } else if (outcome.deletion() == Deletion.MEANWHILE) {
            throw new CommandFailure(
                    ExitCode.STORE,
                    "the store's limits deleted records before they were exported: records so far=" + outcome.records()
                            + "; begin later with --from, or see loom retain");
        }
        out.flush();
        if (file != null) {
            file.complete();
        }
        return tell(outcome, sources.size(), System.nanoTime() - startNs);
    }

    /** Null for an archive, which is no list of records, and for what a module writes. */
    private @Nullable RecordForm form(RequestBuilder builder, DataOutput out, TimePrinter times) throws IOException {
        Console target = toFile() ? console.withOutput(out, Path.of(output)) : console; // either may be a terminal
        return switch (format) {
            case ARCHIVE, PARQUET -> null;
            case JSONL -> new TextForm(target, OutputFormat.JSON, times);
            case CSV -> new TextForm(target, OutputFormat.CSV, times);
            case PCAPNG -> new PacketForm(console, out, linkType == null ? ETHERNET : linkType);
            case OTLP ->
                toEndpoint()
                        ? new OtlpForm(
                                console,
                                new OtlpEndpoint(console, otlp),
                                new RestCommands(otlp.typed(), builder.range()))
                        : new OtlpForm(console, new OtlpFile(out, target.outTerminal()), null);
        };
    }

    private List<Source> sources(Snapshot snapshot, RequestBuilder builder, @Nullable RecordForm form) {
        List<String> named = Stream.of(names, alsoNamed).flatMap(List::stream).toList();
        List<Source> sources = named.isEmpty()
                ? snapshot.sources().stream()
                        .filter(source -> form == null || form.takes(source))
                        .toList()
                : named.stream().map(builder::source).distinct().toList();
        if ((format == ExportFormat.CSV || format == ExportFormat.PARQUET) && sources.size() != 1) {
            throw CommandFailure.usage(format + " has the records of one source; name it: "
                    + sources.stream().map(Source::name).collect(Collectors.joining(", ")));
        } else if (sources.isEmpty() && form != null && !snapshot.sources().isEmpty()) {
            throw CommandFailure.usage("the store has no source of " + form.kind());
        } else if (form != null) {
            requireKind(sources, form);
        }
        return sources;
    }

    private void requireKind(List<Source> sources, RecordForm form) {
        for (Source source : sources) {
            if (!form.takes(source)) {
                throw CommandFailure.usage(format + " is for sources of " + form.kind() + ": source=" + source.name()
                        + ", format=" + source.format().text());
            }
        }
        form.begin(sources);
    }

    private Outcome archive(
            Store reader, Snapshot snapshot, RequestBuilder builder, List<Source> sources, DataOutput out) {
        ArchiveExport archive = new ArchiveExport(snapshot, sources, builder.arrivals());
        try (Progress progress = new Progress(console, "records exported")) {
            ArchiveWriter writer = archive.write(reader.info(), out, console.interruption(), progress);
            return new Outcome(writer.records(), 0, archive.damaged(), archive.deletion(), archive.lost());
        }
    }

    private Outcome records(Snapshot snapshot, RequestBuilder builder, List<Source> sources, RecordForm form) {
        long records = 0;
        long damaged = 0;
        Deletion deletion = Deletion.NONE;
        long lost = 0;
        try (Progress progress = new Progress(console, "records exported")) {
            ExportedRecords exported = new ExportedRecords(console, form, progress, sources.size());
            for (Source source : sources) {
                if (console.interruption().requested()) {
                    break;
                }
                Outcome outcome =
                        exported.write(snapshot, builder.scan("#" + source.id(), List.of(), true, Long.MAX_VALUE));
                records += outcome.records();
                damaged += outcome.damaged();
                deletion = deletion.and(outcome.deletion());
                lost += outcome.lost();
            }
        }
        long leftOut = form.finish();
        return new Outcome(records - leftOut, leftOut, damaged, deletion, lost);
    }

    private int tell(Outcome outcome, int sources, long elapsedNs) {
        console.say(String.format(
                Locale.ROOT,
                "exported %d records of %d source%s in %.3f s%s",
                outcome.records(),
                sources,
                sources == 1 ? "" : "s",
                elapsedNs / 1e9,
                toFile() ? " to " + output : toEndpoint() ? " to " + otlp : ""));
        if (outcome.lost() > 0) {
            console.warn("records of the range were lost before they were stored: lost=" + outcome.lost());
        }
        if (outcome.deletion() == Deletion.BEFORE) {
            console.warn("the store's limits had deleted records of the range, or may have; what was left is exported");
        }
        if (outcome.damaged() > 0) {
            console.warn("incomplete export: the store has damage: pages left out=" + outcome.damaged());
            return ExitCode.STORE;
        }
        return outcome.leftOut() > 0 ? ExitCode.LIMIT : ExitCode.OK;
    }
}
