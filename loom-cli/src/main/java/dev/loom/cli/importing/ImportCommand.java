package dev.loom.cli.importing;

import dev.loom.LoomConfig;
import dev.loom.api.Pressure;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.cli.console.StandardInput;
import dev.loom.cli.input.InputWindow;
import dev.loom.cli.input.PlainInput;
import dev.loom.cli.option.EventTimeOptions;
import dev.loom.cli.option.LogTimeOptions;
import dev.loom.cli.option.SidecarOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.cli.option.TypedOptions;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loom import}: the records of a file or a pipe, into a source. */
@Command(
        name = "import",
        description = "Imports records into a source from files, or from standard input as they arrive.",
        mixinStandardHelpOptions = true)
public final class ImportCommand implements Callable<Integer> {
    private static final String STANDARD_INPUT = StandardInput.NAME;

    /** What to do with a record that does not parse. */
    enum OnBad {
        STOP,
        SKIP;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What to do while the disk is slower than the input. */
    enum Policy {
        WAIT(Pressure.WAIT),
        DROP_NEWEST(Pressure.DROP_NEWEST);

        private final Pressure pressure;

        Policy(Pressure pressure) {
            this.pressure = pressure;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Mixin
    private SidecarOption sidecar = new SidecarOption();

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "The source; defined if it does not exist. Archives name their own.")
    private String sourceName = "";

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            description = "Comes before the names of an archive's sources, with a dot: web1.requests; once for all"
                    + " archives, or once for each.")
    private List<String> prefixes = new ArrayList<>();

    @Option(
            names = "--by-host",
            fallbackValue = "true",
            description = "As --prefix, with the name of the host that each archive is from.")
    private boolean byHost;

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            description = "Input format: ${COMPLETION-CANDIDATES}.")
    private InputFormat format = InputFormat.LINES;

    @Option(
            names = "--types",
            paramLabel = "FIELD:TYPE,...",
            description = "Types of CSV columns: i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 bool utf8 bytes;"
                    + " those not given are inferred from the first 1,000 rows.")
    private @Nullable String types;

    @Mixin
    private EventTimeOptions eventTimeOptions = new EventTimeOptions();

    @Mixin
    private LogTimeOptions logTimeOptions = new LogTimeOptions();

    @Option(
            names = "--replay",
            arity = "0..1",
            paramLabel = "SPEED",
            preprocessor = ReplaySpeed.class,
            description = "Paces the records by their event times; =2 is twice as fast.")
    private @Nullable Double replaySpeed;

    @Option(
            names = "--on-bad",
            paramLabel = "ACTION",
            description = "What to do with a record that does not parse: ${COMPLETION-CANDIDATES}; by"
                    + " default stop (exit code 4).")
    private OnBad onBad = OnBad.STOP;

    @Option(names = "--rejects", paramLabel = "FILE", description = "File for the records that do not parse.")
    private @Nullable Path rejects;

    private byte @Nullable [] rejectsHeader;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description = "What to do while the disk is too slow: ${COMPLETION-CANDIDATES}; by default wait.")
    private Policy policy = Policy.WAIT;

    @Option(
            names = "--delimiter",
            paramLabel = "CHAR",
            description = "CSV delimiter: one ASCII character or tab; by default a comma.")
    private String delimiter = ",";

    @Option(
            names = "--whole-rows",
            fallbackValue = "true",
            description =
                    "Imports rows that Loom printed, as csv or jsonl, with their time, ts, source and addr; by default"
                            + " their fields alone.")
    private boolean wholeRows;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files to import, in this order, or - for standard input; plain or gzip.")
    private List<String> files = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec command;

    public ImportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        requireSense();
        if (format == InputFormat.ARCHIVE) {
            return importArchives();
        }
        for (String file : files) {
            eventTimeOptions.eventTime(live(file));
            if (!file.equals(STANDARD_INPUT)) {
                InputFiles.requireReadable(Path.of(file));
            }
        }
        Path rejectsPath = format == InputFormat.PCAP ? null : rejects;
        if (rejectsPath != null) {
            RejectsFile.requireWritable(rejectsPath, files);
        }
        String first = files.get(0);
        try (InputWindow window = window(first);
                ImportStore target = open();
                OutputStream rejected = rejectsPath == null ? null : RejectsFile.open(rejectsPath)) {
            int last = upToDamage(first, () -> importOne(first, window, target, rejected));
            boolean skipped = false;
            int done = 1;
            // a file that is damaged or does not fit is a bad record, which ends only itself
            while (done < files.size() && (last == ExitCode.OK || (last == ExitCode.LIMIT && onBad == OnBad.SKIP))) {
                skipped |= last == ExitCode.LIMIT;
                String file = files.get(done);
                last = upToDamage(file, () -> {
                    try (InputWindow next = window(file)) {
                        return importOne(file, next, target, rejected);
                    }
                });
                done++;
            }
            if (done < files.size()) {
                console.warn("not imported, as the import stopped before: files=" + (files.size() - done) + ", first="
                        + files.get(done));
            }
            return skipped && last == ExitCode.OK ? ExitCode.LIMIT : last;
        } catch (EOFException | ZipException e) {
            throw new CommandFailure(ExitCode.LIMIT, "input is damaged: " + e.getMessage(), e); // from its beginning
        }
    }

    /** Imports a file. Returns an exit code. */
    @FunctionalInterface
    private interface FileImport {
        int run() throws IOException;
    }

    /** Imports what a file has before damage, and reports the damage; with several files, also what else ends one of them. */
    private int upToDamage(String file, FileImport imported) throws IOException {
        try {
            return imported.run();
        } catch (EOFException | ZipException e) {
            console.warn("input is damaged: " + e.getMessage() + (files.size() == 1 ? "" : ", file=" + file));
        } catch (CommandFailure e) {
            if (files.size() == 1) {
                throw e;
            }
            console.warn(e.getMessage() + ", file=" + file);
            return e instanceof UnfitInput && onBad == OnBad.SKIP ? ExitCode.LIMIT : e.exitCode();
        }
        return ExitCode.LIMIT;
    }

    private int importArchives() throws IOException {
        try (ArchiveInputs inputs = new ArchiveInputs(console)) {
            for (String file : files) {
                inputs.open(file, this::window);
            }
            return inputs.importInto(store.directory(), prefixes, byHost);
        } catch (EOFException | ZipException e) {
            throw new CommandFailure(ExitCode.STORE, "archive is damaged: " + e.getMessage(), e);
        }
    }

    private static boolean live(String file) {
        return file.equals(STANDARD_INPUT) || !Files.isRegularFile(Path.of(file));
    }

    private InputWindow window(String file) throws IOException {
        StandardInput.requireOpen(file);
        InputStream input = file.equals(STANDARD_INPUT) ? console.in() : InputFiles.open(Path.of(file));
        return new InputWindow(new PlainInput(input), console.interruption());
    }

    private int importOne(String file, InputWindow window, ImportStore target, @Nullable OutputStream rejected)
            throws IOException {
        SourceDefinition definition = new SourceDefinition(
                console,
                target.schema(),
                sourceName,
                eventTimeOptions.eventTime(live(file)),
                eventTimeOptions.takesThisMachinesClocks(),
                replaySpeed != null);
        InputOpening opening = new InputOpening(
                console, window, live(file), definition, types, delimiter(), wholeRows, file, logTimeOptions);
        RecordInput input = opening.open(format, target.payloadLengthMax());
        if (rejected != null) {
            writeHeader(opening.rejectsHeader(), rejected);
        }
        Consumer<String> tell = files.size() == 1 ? console::say : line -> console.say(file + ": " + line);
        return run(file, target, window, definition, input, new BadRecords(onBad == OnBad.STOP, rejected, tell));
    }

    /** Rejected rows of several files have one header. */
    private void writeHeader(byte[] header, OutputStream rejected) throws IOException {
        byte[] first = rejectsHeader;
        if (first == null) {
            rejectsHeader = header;
            rejected.write(header);
        } else if (!line(header).equals(line(first))) {
            throw CommandFailure.usage("--rejects takes rows of one header, import this file by itself: header="
                    + line(header) + ", first=" + line(first));
        }
    }

    private static String line(byte[] header) {
        return new String(header, StandardCharsets.UTF_8).stripTrailing();
    }

    private byte delimiter() {
        String text = delimiter.equalsIgnoreCase("tab") || delimiter.equals("\\t") ? "\t" : delimiter;
        char character = text.isEmpty() ? '\0' : text.charAt(0);
        if (text.length() != 1 || character >= 0x80 || "\0\r\n\"".indexOf(character) >= 0) {
            throw CommandFailure.usage("--delimiter is not an ASCII character or tab: " + delimiter);
        }
        return (byte) character;
    }

    /** The share of a file that has been read; NaN if it is compressed or its length is unknown. */
    private static DoubleSupplier share(String file, InputWindow window) throws IOException {
        if (live(file) || InputFiles.compressed(Path.of(file))) {
            return () -> Double.NaN;
        }
        long length = Math.max(1, Files.size(Path.of(file)));
        return () -> Math.min(1, (double) window.consumedBytes() / length);
    }

    private void requireSense() {
        delimiter();
        logTimeOptions.check();
        boolean archive = format == InputFormat.ARCHIVE;
        Optional<String> logTimes = Stream.of("--time-pattern", "--year", "--date")
                .filter(this::typed)
                .findFirst();
        if (archive && typed("--source", "--replay", "--rejects", "--to-sidecar")) {
            throw CommandFailure.usage(
                    "archives name their sources and arrival times, and need the store to themselves:"
                            + " --source, --replay, --rejects and --to-sidecar are not for --format archive");
        } else if (archive
                && typed(
                        "--policy",
                        "--on-bad",
                        "--event-time",
                        "--event-clock",
                        "--clock-pair",
                        "--event-time-unit",
                        "--event-at")) {
            throw CommandFailure.usage("archives are imported as they are, and wait for the disk:"
                    + " --policy, --on-bad and the options of event times are not for --format archive");
        } else if (!archive && typed("--prefix", "--by-host")) {
            throw CommandFailure.usage("--prefix and --by-host are for --format archive, not " + format);
        } else if (!archive && sourceName.isEmpty()) {
            throw CommandFailure.usage("Missing required option: '--source=SOURCE'");
        }
        if (files.size() > 1 && files.contains(STANDARD_INPUT)) {
            throw CommandFailure.usage("- can't be combined with other inputs");
        } else if (typed("--delimiter") && format != InputFormat.CSV) {
            throw CommandFailure.usage("--delimiter is for --format csv, not " + format);
        } else if (typed("--types") && format != InputFormat.CSV) {
            throw CommandFailure.usage("--types is for --format csv, not " + format);
        } else if (logTimes.isPresent() && format != InputFormat.LINES) {
            throw CommandFailure.usage(logTimes.get() + " is for --format lines, not " + format);
        } else if (typed("--whole-rows") && format != InputFormat.CSV && format != InputFormat.JSONL) {
            throw CommandFailure.usage("--whole-rows is for --format csv and jsonl, not " + format);
        } else if (sidecar.given() && typed("--policy") && policy != Policy.WAIT) {
            throw CommandFailure.usage("--policy can't be set with --to-sidecar, the sidecar has its own");
        } else if (typed("--rejects") && format == InputFormat.PCAP) {
            throw CommandFailure.usage(
                    "--rejects is for text formats, not pcap; nothing after a damaged packet can be read");
        } else if (replaySpeed != null && !(replaySpeed > 0 && replaySpeed < Double.POSITIVE_INFINITY)) {
            throw CommandFailure.usage("--replay is not a speed: " + replaySpeed + "; for example 1, 0.5 or 10");
        }
    }

    private boolean typed(String... options) {
        return Stream.of(options).anyMatch(option -> TypedOptions.contains(command, option));
    }

    private ImportStore open() {
        if (sidecar.given()) {
            return new SidecarStore(sidecar.connect(), console.interruption()::requested, console::warn);
        }
        return new DirectStore(
                LoomConfig.at(store.directory()).pressure(policy.pressure), console, policy == Policy.WAIT);
    }

    private int run(
            String file,
            ImportStore target,
            InputWindow window,
            SourceDefinition definition,
            RecordInput input,
            BadRecords badRecords)
            throws IOException {
        long startNs = System.nanoTime();
        PayloadBatch batch = new PayloadBatch(target, definition);
        boolean going = false;
        EventTimeCheck check =
                eventTimeOptions.asked() ? definition.eventTimeCheck(eventTimeOptions.wantsPlausible()) : null;
        try (Progress progress = new Progress(console, "records imported")) {
            progress.of(share(file, window));
            Importer importer = new Importer(input, batch, badRecords, console.interruption(), progress);
            if (replaySpeed != null) {
                importer.pace(
                        new Pacer(replaySpeed, System::nanoTime, console.interruption()), definition.eventTimeReader());
            }
            if (check != null) {
                importer.check(check);
            }
            window.onIdle(() -> {
                batch.flush();
                badRecords.flush();
                progress.updateNow(batch.records());
            });
            going = importer.run();
            // even an input without records defines its source, unless one after it shows what it has
            if (going && file.equals(files.get(files.size() - 1))) {
                if (definition.isGuess()) {
                    console.say("the source is not defined, as no record shows its format: source=" + sourceName);
                } else {
                    definition.sourceId();
                }
            }
        } finally {
            // even if the input or the store fails midway
            List<String> remarks = new ArrayList<>(input.remarks());
            if (check != null) {
                remarks.addAll(check.remarks());
            }
            tell(file, batch, badRecords, remarks, System.nanoTime() - startNs, going);
        }
        if (console.interruption().requested()) {
            return ExitCode.INTERRUPTED;
        }
        return going ? ExitCode.OK : ExitCode.LIMIT;
    }

    private void tell(
            String file,
            PayloadBatch batch,
            BadRecords badRecords,
            List<String> remarks,
            long elapsedNs,
            boolean going) {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "imported %d records, %d bytes, in %.3f s into %s%s; ",
                batch.records(),
                batch.bytes(),
                elapsedNs / 1e9,
                sourceName,
                files.size() == 1 ? "" : " from " + file));
        text.append(
                replaySpeed == null ? "arrival times are the time of this import" : "arrival times follow event times");
        remarks.forEach(remark -> text.append("; ").append(remark));
        if (batch.lost() > 0) {
            boolean ended = console.interruption().requested() && policy == Policy.WAIT;
            text.append(ended ? "; not stored " : "; lost ").append(batch.lost());
        }
        boolean stopped = !going && onBad == OnBad.STOP && badRecords.count() > 0;
        if (badRecords.count() > 0) {
            text.append("; ").append(badRecords.count()).append(stopped ? " bad, stopped there" : " skipped");
        }
        if (!badRecords.lastUnreported().isEmpty()) {
            text.append(", the last at ").append(badRecords.lastUnreported());
        }
        if (badRecords.cut() > 0) {
            text.append("; too long to be whole in the rejects: ").append(badRecords.cut());
        }
        if (!going && !stopped) {
            text.append("; incomplete");
        }
        if (console.interruption().requested()) {
            text.append("; interrupted");
        }
        console.say(text.toString());
    }
}
