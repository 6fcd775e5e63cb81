package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.input.CsvRows;
import dev.loom.cli.input.InputWindow;
import dev.loom.cli.input.TextLines;
import dev.loom.cli.input.UnreadCompression;
import dev.loom.cli.option.LogTimeOptions;
import dev.loom.cli.pcap.Capture;
import dev.loom.cli.pcap.CaptureException;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads just enough of an input to define its source: a CSV file's header and first rows, a capture's first bytes. */
final class InputOpening {
    /** How long after the first row of a live input types are inferred from the rows that have arrived. */
    private static final long SAMPLE_STARVES_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long an open quote in a live input may hold back the rows after it. */
    private static final long QUOTE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);

    /** The bytes that one of a text becomes at most where JSON escapes it. */
    private static final int JSON_FACTOR = 6;

    /** The same for CSV, which doubles quotes. */
    private static final int CSV_FACTOR = 2;

    /** For all else of a row that Loom printed: the columns before its fields, their names, the digits of numbers. */
    private static final int ROW_BYTES = 1 << 20;

    private static final String FIELDS_ALONE = "rows that Loom printed: their fields are imported, without time, ts,"
            + " source and addr; --whole-rows keeps these";

    private static final String FIELDS_ALONE_OF_CAUSES =
            "rows that Loom printed: their fields are imported, without time, ts,"
                    + " source, addr and cause; --whole-rows keeps these";

    private final Console console;
    private final InputWindow window;
    private final boolean live;
    private final SourceDefinition definition;
    private final @Nullable String types;
    private final byte delimiter;
    private final boolean wholeRows;
    private final String file;
    private final LogTimeOptions logTimes;
    private byte[] rejectsHeader = {};

    /**
     * Prepares to open an input.
     *
     * @param live whether its rows must be visible as they arrive
     * @param delimiter between the cells of CSV
     * @param wholeRows whether rows that Loom printed are imported as they are, not only their fields
     * @param file the input's name
     * @param logTimes how times of lines are written
     */
    InputOpening(
            Console console,
            InputWindow window,
            boolean live,
            SourceDefinition definition,
            @Nullable String types,
            byte delimiter,
            boolean wholeRows,
            String file,
            LogTimeOptions logTimes) {
        this.console = console;
        this.window = window;
        this.live = live;
        this.definition = definition;
        this.types = types;
        this.delimiter = delimiter;
        this.wholeRows = wholeRows;
        this.file = file;
        this.logTimes = logTimes;
    }

    /** Defines the source and returns its input. */
    RecordInput open(InputFormat format, int payloadLengthMax) throws IOException {
        if (format.isText()) {
            requireText();
        }
        return switch (format) {
            case CSV -> openCsv(CSV_FACTOR * payloadLengthMax + ROW_BYTES);
            case JSONL -> openJson(JSON_FACTOR * payloadLengthMax + ROW_BYTES);
            case LINES -> openLines(payloadLengthMax);
            case PCAP -> openPcap();
            case ARCHIVE -> throw new IllegalArgumentException("archives have several sources");
        };
    }

    private void requireText() throws IOException {
        if (window.isUtf16()) {
            throw new CommandFailure(
                    ExitCode.LIMIT, "input is UTF-16: convert it first, as with iconv -f UTF-16 -t UTF-8");
        }
        UnreadCompression compression = UnreadCompression.of(window).orElse(null);
        if (compression != null) {
            throw new CommandFailure(
                    ExitCode.LIMIT,
                    "input is compressed with " + compression + ": decompress it first, as with "
                            + compression.command() + " FILE | loom import ... -");
        }
    }

    /** The first line of a file of rejected rows, so that the file can be imported too. */
    byte[] rejectsHeader() {
        return rejectsHeader;
    }

    private RecordInput openLines(int payloadLengthMax) throws IOException {
        window.skipByteOrderMark();
        return new LinesOpening(console, window, live, definition, logTimes).open(file, payloadLengthMax);
    }

    private RecordInput openPcap() throws IOException {
        try {
            Capture capture = Capture.open(window);
            StructFormat format = PcapInput.FORMAT;
            if (definition
                    .existingFormat()
                    .filter(PcapInput.FORMAT_WITHOUT_LINK::equals)
                    .isPresent()) {
                format = PcapInput.FORMAT_WITHOUT_LINK;
                console.say("the source keeps its format, which has no link types and interfaces");
            }
            definition.define(format, new EventTime(PcapInput.TIME_FIELD, null));
            return new PcapInput(capture, format);
        } catch (CaptureException e) {
            throw new CommandFailure(ExitCode.LIMIT, String.valueOf(e.getMessage()), e);
        }
    }

    /** Objects are records as they stand, or structs if the source has these already. */
    private RecordInput openJson(int lineLengthMax) throws IOException {
        window.skipByteOrderMark();
        boolean whole = wholeRows || isEventTimeOwn();
        PayloadFormat existing = definition.existingFormat().orElse(null);
        JsonRows rows = existing instanceof StructFormat struct ? new JsonRows(struct) : null;
        definition.define(rows == null || existing == null ? Formats.json() : existing, null);
        return LinesInput.json(new TextLines(window, lineLengthMax), rows, !whole, () -> console.say(FIELDS_ALONE));
    }

    private RecordInput openCsv(int rowLengthMax) throws IOException {
        CsvRows rows = new CsvRows(window, rowLengthMax, delimiter);
        if (live) {
            rows.closeQuotesWithin(QUOTE_TIMEOUT_NS);
        }
        CsvHeader header = CsvHeader.read(rows, delimiter);
        rejectsHeader = header.rawBytes;
        header.notes.forEach(console::say);
        if (header.isPrinted() && !wantsWholeRows(header)) {
            console.say(header.hasCauses() ? FIELDS_ALONE_OF_CAUSES : FIELDS_ALONE);
            header.keepFields();
        }
        StructFormat format;
        PayloadFormat existing = definition.existingFormat().orElse(null);
        if (types == null && existing instanceof StructFormat struct) {
            header.requireFields(struct);
            format = struct;
        } else {
            format = infer(header);
        }
        definition.define(format, null);
        return new CsvInput(rows, header.names(), header.leftOut(), format);
    }

    /** Whether columns that Loom prints before a record's fields are asked for, or are fields of the source. */
    private boolean wantsWholeRows(CsvHeader header) {
        Set<String> existing = definition.existingFormat().stream()
                .flatMap(format -> format.fields().stream())
                .map(Field::name)
                .collect(Collectors.toSet());
        return wholeRows
                || Stream.concat(givenTypes().keySet().stream(), definition.eventTimeField().stream())
                        .anyMatch(name -> CsvHeader.isOwn(name) || (header.hasCauses() && name.equals(CsvHeader.CAUSE)))
                || existing.equals(Set.copyOf(header.names()));
    }

    private boolean isEventTimeOwn() {
        return definition.eventTimeField().filter(CsvHeader::isOwn).isPresent();
    }

    private StructFormat infer(CsvHeader header) throws IOException {
        Map<String, Field.Type> given = givenTypes();
        if (live && !given.keySet().containsAll(header.names())) {
            header.awaitRow();
            window.starveAfter(SAMPLE_STARVES_NS);
        }
        StructFormat format = header.format(given);
        window.starveNoMore();
        if (header.sampledRows() == 0 && !given.keySet().containsAll(header.names())) {
            definition.guessed();
        } else if (header.sampledRows() > 0) {
            console.say("types inferred from " + header.sampledRows() + " rows: --types "
                    + format.fields().stream()
                            .map(field -> field.name() + ':' + field.type().text())
                            .collect(Collectors.joining(",")));
        }
        return format;
    }

    private Map<String, Field.Type> givenTypes() {
        Map<String, Field.Type> given = new LinkedHashMap<>();
        if (types != null) {
            for (String text : List.of(types.split(",", -1))) {
                try {
                    Field field = Field.parse(text.strip());
                    given.put(field.name(), field.type());
                } catch (IllegalArgumentException e) {
                    throw CommandFailure.usage("--types: " + e.getMessage());
                }
            }
        }
        return given;
    }
}
