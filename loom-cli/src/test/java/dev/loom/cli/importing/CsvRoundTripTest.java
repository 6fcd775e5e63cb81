package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.cli.Cli;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.ByteArrayInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code -o csv} writes, {@code import} reads back as it was. */
class CsvRoundTripTest {
    private static final int ROWS = 3_000;

    private static final List<Field.Type> TYPES =
            Arrays.stream(Field.Type.values()).filter(Field.Type::isForStructs).toList();

    private static final StructFormat FORMAT = Formats.struct(""
            + IntStream.range(0, TYPES.size())
                    .mapToObj(i -> "f" + i + ":" + TYPES.get(i).text() + "?")
                    .collect(Collectors.joining(",")));

    private static final String[] PIECES = {
        "",
        "a",
        " ",
        ",",
        "\"",
        "'",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\u001b[2J",
        "=",
        "+1",
        "-",
        "@",
        "é",
        "𝄞",
        "\u2028",
        "\ufeff",
        "NULL",
        "\\N",
        ";",
        "x".repeat(300)
    };

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory.resolve("store"));
    }

    @Test
    void shouldReadBackWhatIsWritten() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("CsvRoundTripTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64 << 10]);
            StructWriter writer = new StructWriter(FORMAT);
            for (int i = 0; i < ROWS; i++) {
                writer.begin(buffer, 0);
                FORMAT.fields().forEach(field -> set(writer, field, random));
                loom.push(source, buffer, 0, writer.finish());
            }
        }
        copy("a", "b");
        assertEquals(fields("a"), fields("b"), () -> "seed=" + seed);
    }

    /** What an export has is in the copy, byte for byte, if the copy has the same format. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "jsonl"})
    void shouldGiveTheSamePayloads(String form) {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("CsvRoundTripTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        StructFormat format = Formats.struct(FORMAT.fields().stream()
                        .map(field -> field.text().replace("?", random.nextBoolean() ? "" : "?"))
                        .collect(Collectors.joining(","))
                + ",ts:i64,source:utf8?");
        String[] sources = {"a", "b"};
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            for (String source : sources) {
                loom.defineSource(source, format);
            }
            int source = loom.source("a").orElseThrow().id();
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64 << 10]);
            StructWriter writer = new StructWriter(format);
            for (int i = 0; i < ROWS; i++) {
                writer.begin(buffer, 0);
                for (Field field : format.fields()) {
                    set(writer, format, field, random);
                }
                loom.push(source, buffer, 0, writer.finish());
            }
        }
        String exported =
                cli.run("export", "--format", form, "--source", "a").ok().out();
        cli.importText("b", form, exported).ok();
        assertEquals(payloads("a"), payloads("b"), () -> "seed=" + seed);
        assertEquals(ROWS, payloads("b").size());
    }

    private List<String> payloads(String source) {
        List<String> payloads = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(directory.resolve("store"));
                Snapshot snapshot = reader.snapshot();
                QueryCursor record = RawScan.of(
                                snapshot, snapshot.source(source).orElseThrow())
                        .order(Order.OLDEST_FIRST)
                        .open()) {
            while (record.next()) {
                byte[] payload = new byte[record.length()];
                record.buffer().getBytes(record.offset(), payload);
                payloads.add(HexFormat.of().formatHex(payload));
            }
        }
        return payloads;
    }

    @Test
    void shouldKeepWholeRowsWhenAskedTo() {
        cli.importText("a", "csv", "n,ts\n1,2\n").ok();
        String csv = cli.run("export", "--format", "csv").ok().out();
        assertTrue(csv.startsWith("time,ts,source,addr,n,fields.ts\n"), csv);
        cli.importText("fields", "csv", csv).ok();
        cli.importText("whole", "csv", csv, "--whole-rows").ok();
        cli.importText("typed", "csv", csv, "--types", "ts:i64").ok();
        cli.importText("timed", "csv", csv, "--event-time", "ts").ok();
        assertEquals(List.of("struct:n:i64?,ts:i64?"), formats("fields"));
        for (String source : List.of("whole", "typed", "timed")) {
            assertEquals(
                    List.of("struct:time:utf8?,ts:i64?,source:utf8?,addr:i64?,n:i64?,fields.ts:i64?"), formats(source));
            // and so does the source from then on
            cli.importText(source, "csv", csv).ok();
        }
        cli.importText("fields", "csv", csv).ok();
        assertEquals(2, cli.run("scan", "whole").ok().lines().size());
        assertEquals(
                "loom: --whole-rows is for --format csv and jsonl, not lines\n",
                cli.importText("x", "lines", "", "--whole-rows").exit(2).err());
    }

    @Test
    void shouldLeaveOutTheCauseOfRecordsThatWereFoundForOthers() {
        cli.importText("slow", "csv", "cause,n\n5,1\n").ok();
        for (String form : List.of("csv", "json")) {
            String found = cli.run(
                            "correlate", "slow", "n", "--above", "0", "--with", "slow", "--within", "1h", "-o", form)
                    .ok()
                    .out();
            String input = form.equals("csv") ? form : "jsonl";
            cli.importText("as-" + form, input, found).ok();
            assertEquals(
                    List.of("{\"cause\":5,\"n\":1}"),
                    cli.run("scan", "as-" + form, "-o", "json").ok().lines().stream()
                            .map(line -> line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1))
                            .toList());
            cli.importText("as-csv", input, found).ok();
        }
        String found = cli.run(
                        "correlate", "slow", "n", "--above", "0", "--with", "slow", "--within", "1h", "-o", "csv")
                .ok()
                .out();
        cli.importText("typed", "csv", found, "--types", "cause:i64").ok();
        assertEquals(
                List.of("struct:time:utf8?,ts:i64?,source:utf8?,addr:i64?,cause:i64?,fields.cause:i64?,n:i64?"),
                formats("typed"));
        assertEquals(
                "time,ts,source,addr,fields.cause,n",
                cli.run("scan", "slow", "-o", "csv").ok().lines().get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "jsonl", "lines"})
    void shouldRefuseWhatIsNoUtf8AndSkipItsMark(String format) {
        String text = format.equals("jsonl") ? "{\"ts\":1}\n" : "ts\n1\n";
        for (Charset charset : List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)) {
            cli.input(new ByteArrayInputStream(("\ufeff" + text).getBytes(charset)))
                    .run("import", "--source", "s", "--format", format, "-")
                    .exit(4)
                    .says("input is UTF-16: convert it first, as with iconv -f UTF-16 -t UTF-8");
            assertEquals(List.of(), cli.run("sources", "-o", "json").ok().lines());
        }
        cli.importText("s", format, "\ufeff" + text).ok();
        cli.importText("t", format, text).ok();
        assertEquals(
                cli.run("scan", "t", "-o", "raw").ok().out(),
                cli.run("scan", "s", "-o", "raw").ok().out());
    }

    @Test
    void shouldGiveFieldsTheirNamesBackThatAreNamedLikePrintedColumns() {
        String fields = "ts:i64?,fields.ts:i64?,fields.fields.addr:i64?,fields.n:i64?";
        cli.run("source", "add", "a", "--fields", fields).ok();
        cli.importText("a", "csv", "ts,fields.ts,fields.fields.addr,fields.n\n1,2,3,4\n")
                .ok();
        String csv = cli.run("export", "a", "--format", "csv").ok().out();
        assertTrue(
                csv.startsWith("time,ts,source,addr,fields.ts,fields.fields.ts,fields.fields.fields.addr,fields.n\n"),
                csv);
        cli.importText("copy", "csv", csv).ok();
        assertEquals(List.of("struct:" + fields), formats("copy"));
        cli.importText("a", "csv", csv).ok();
        assertEquals(2, cli.run("scan", "a").ok().lines().size());
    }

    @Test
    void shouldKeepTheTimesOfPrintedObjectsWhenAskedTo() {
        cli.importText("a", "csv", "n\n1\n").ok();
        String rows = cli.run("export", "--format", "jsonl").ok().out();
        cli.importText("fields", "jsonl", rows).ok();
        cli.importText("timed", "jsonl", rows, "--event-time", "ts").ok();
        assertEquals("{\"n\":1}\n", cli.run("scan", "fields", "-o", "raw").ok().out());
        assertEquals(1, cli.run("scan", "timed", "--time", "event").ok().lines().size());
    }

    private List<String> formats(String source) {
        return cli.run("sources", "-o", "json").ok().lines().stream()
                .filter(line -> line.contains("\"name\":\"" + source + "\""))
                .map(line -> line.replaceFirst(".*\"format\":\"([^\"]*)\".*", "$1"))
                .toList();
    }

    @Test
    void shouldSayWhyAnObjectIsNoStruct() {
        cli.run("source", "add", "s", "--fields", "n:u8,t:utf8?,b:bool?").ok();
        String[][] bad = {
            {"{\"n\":256}", "n: out of range of u8: \"256\""},
            {"{\"n\":\"x\"}", "n: not u8: \"x\""},
            {"{\"n\":1.5}", "n: not u8: \"1.5\""},
            {"{\"n\":true}", "n: not u8"},
            {"{\"n\":[1]}", "n: not u8"},
            {"{\"n\":1,\"t\":2}", "t: not utf8"},
            {"{\"n\":1,\"b\":\"true\"}", "b: not bool"},
            {"{\"n\":1,\"n\":1}", "n: occurs twice"},
            {"{\"n\":1,\"m\":1}", "unknown field: m; format: struct:n:u8,t:utf8?,b:bool?"},
            {"{\"t\":\"\"}", "n: missing, but required"},
            {"{}", "n: missing, but required"},
            {"{\"n\":1", "not JSON: "},
        };
        for (String[] row : bad) {
            String err = cli.importText("s", "jsonl", row[0] + "\n").exit(4).err();
            assertTrue(err.startsWith("loom: line 1: " + row[1]), err);
        }
        // names may be as long as lines
        String longName = "{\"" + "m".repeat(60_000) + "\":1}\n{\"n\":0}\n";
        String skipped =
                cli.importText("s", "jsonl", longName, "--on-bad", "skip").ok().err();
        assertTrue(skipped.contains("unknown field: mmm") && skipped.contains("imported 1 records"), skipped);
        cli.importText("s", "jsonl", "{\"b\":null,\"n\":1}\n\n{\"n\":2,\"b\":true,\"t\":\"\\u00e9\"}")
                .ok();
        assertEquals(
                List.of(
                        "{\"n\":0,\"t\":null,\"b\":null}",
                        "{\"n\":1,\"t\":null,\"b\":null}",
                        "{\"n\":2,\"t\":\"é\",\"b\":true}"),
                cli.run("scan", "s", "--asc", "-o", "json").ok().lines().stream()
                        .map(line -> line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1))
                        .toList());
    }

    @Test
    void shouldReplaceHalvesOfSurrogatePairsAsRecordsOfJsonDo() {
        String text = "{\"t\":\"a\\ud83d\"}\n{\"t\":\"\\ude00\\ud83d b\"}\n{\"t\":\"\\ud83d\\ude00\"}\n";
        List<String> expected = List.of("a\uFFFD", "\uFFFD\uFFFD b", "😀");
        cli.run("source", "add", "structs", "--fields", "t:utf8").ok();
        for (String source : List.of("structs", "objects")) {
            cli.importText(source, "jsonl", text).ok();
            assertEquals(
                    expected,
                    cli.run("scan", source, "--asc", "--fields", "t", "-o", "csv").ok().lines().stream()
                            .skip(1)
                            .map(line -> line.substring(line.lastIndexOf(',') + 1))
                            .toList());
        }
    }

    @Test
    void shouldKeepLinesThatOnlyLookPrinted() {
        List<String> lines = List.of(
                "{\"time\":\"t\",\"ts\":1,\"source\":\"s\",\"addr\":2,\"fields\":{},\"payload\":\"\"}",
                "{\"time\":\"t\",\"ts\":1,\"source\":\"s\",\"addr\":2,\"fields\":null}",
                "{\"time\":\"t\",\"ts\":1,\"source\":\"s\",\"fields\":{}}",
                "{\"time\":\"t\",\"ts\":1,\"source\":\"s\",\"addr\":2,\"fields\":{}, \"x\":{}}",
                "{\"time\":\"t\",\"ts\":\"1\",\"source\":\"s\",\"addr\":2,\"fields\":{}}");
        cli.importText("s", "jsonl", String.join("\n", lines)).ok();
        assertEquals(lines, cli.run("scan", "s", "--asc", "-o", "raw").ok().lines());
        cli.importText(
                        "t",
                        "jsonl",
                        "{\"time\":\"t\",\"ts\":-1,\"source\":\"a\\\"b,\",\"addr\":2,\"cause\":3,\"fields\":{\"a\":\"}\"}}")
                .ok();
        assertEquals(
                List.of("{\"a\":\"}\"}"), cli.run("scan", "t", "-o", "raw").ok().lines());
    }

    @Test
    void shouldRefuseValuesThatAreNoObjectsWhereTheSourceHasFields() {
        cli.run("source", "add", "s", "--fields", "n:i64?").ok();
        for (String value : List.of("7", "\"x\"", "[{\"n\":1}]", "true")) {
            String row = "{\"time\":\"t\",\"ts\":1,\"source\":\"s\",\"addr\":2,\"fields\":" + value + "}\n";
            String err = cli.importText("s", "jsonl", row).exit(4).err();
            assertTrue(err.contains("loom: line 1: the record's payload is no JSON object"), err);
        }
        assertEquals(0, cli.run("scan", "s").ok().lines().size());
    }

    private static void set(StructWriter writer, Field field, Random random) {
        set(writer, FORMAT, field, random);
    }

    private static void set(StructWriter writer, StructFormat format, Field field, Random random) {
        int index = format.fieldIndex(field.name());
        if (field.optional() && random.nextInt(5) == 0) {
            return;
        }
        switch (field.type()) {
            case I8, I16, I32, I64 -> writer.setLong(index, signed(field.type().fixedLength() * 8, random));
            case U8, U16, U32 ->
                writer.setLong(index, signed(64, random) >>> (64 - field.type().fixedLength() * 8));
            case U64 -> writer.setUnsigned(index, signed(64, random));
            case F32 -> writer.setDouble(index, canonical(Float.intBitsToFloat((int) signed(32, random))));
            case F64 -> writer.setDouble(index, canonical(Double.longBitsToDouble(signed(64, random))));
            case BOOL -> writer.setBoolean(index, random.nextBoolean());
            case UTF8 -> writer.setUtf8(index, text(random));
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                writer.setBytes(index, new UnsafeBuffer(bytes), 0, bytes.length);
            }
            case ANY, JSON -> throw new AssertionError(field);
        }
    }

    /** Text has one NaN only. */
    private static double canonical(double value) {
        return Double.isNaN(value) ? Double.NaN : value;
    }

    private static long signed(int bits, Random random) {
        long ones = -1L >>> (64 - bits);
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> ones >>> 1;
            case 3 -> -(ones >>> 1) - 1;
            default -> random.nextLong() >> (64 - bits) >> random.nextInt(bits);
        };
    }

    private static String text(Random random) {
        return random.ints(random.nextInt(4), 0, PIECES.length)
                .mapToObj(i -> PIECES[i])
                .collect(Collectors.joining());
    }

    private void copy(String from, String to) {
        String csv = cli.run("scan", from, "--asc", "-o", "csv").ok().out();
        String types = "time:utf8,ts:i64,source:utf8,addr:i64,"
                + FORMAT.fields().stream()
                        .map(field -> field.name() + ":" + field.type().text())
                        .collect(Collectors.joining(","));
        cli.input(new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)))
                .run("import", "--source", to, "--format", "csv", "--types", types, "-")
                .ok();
    }

    private List<String> fields(String source) {
        return cli.run("scan", source, "--asc", "-o", "json").ok().lines().stream()
                .map(line -> line.substring(line.indexOf("\"f0\":")))
                .toList();
    }

    /** Its fields are behind the columns of these names that each record has. */
    @Test
    void shouldCopyASourceWhoseFieldsAreCalledAsTheColumnsBeforeThem() {
        String fields = "time:utf8,ts:i64,source:utf8,addr:i64,n:i64?";
        cli.run("source", "add", "s", "--fields", fields).ok();
        cli.importText("s", "csv", "time,ts,source,addr,n\nt,1,x,2,\nu,3,y,4,5\n")
                .ok();
        for (String form : List.of("csv", "jsonl")) {
            cli.run("source", "add", form, "--fields", fields).ok();
            cli.importText(
                            form,
                            form,
                            cli.run("export", "s", "--format", form).ok().out())
                    .ok();
            assertEquals(
                    List.of("t,1,x,2,", "u,3,y,4,5"),
                    cli.run("scan", form, "--asc", "-o", "csv").ok().lines().stream()
                            .skip(1)
                            .map(line -> line.replaceFirst("^[^,]*,[^,]*,[^,]*,[^,]*,", ""))
                            .toList());
        }
    }

    @Test
    void shouldTellAnEmptyTextFromNone() {
        cli.importText("s", "csv", "n,t,d\n1,,\n2,\"\",\"\"\n\"\",x,AA==\n", "--types", "n:i64,t:utf8,d:bytes")
                .ok();
        assertEquals(
                List.of(
                        "{\"n\":1,\"t\":null,\"d\":null}",
                        "{\"n\":2,\"t\":\"\",\"d\":\"\"}",
                        "{\"n\":null,\"t\":\"x\",\"d\":\"AA==\"}"),
                cli.run("scan", "s", "--asc", "-o", "json").ok().lines().stream()
                        .map(line -> line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1))
                        .toList());
        List<String> csv = cli.run("scan", "s", "--asc", "-o", "csv").ok().lines();
        assertEquals(
                List.of("1,,", "2,\"\",\"\"", ",x,AA=="),
                csv.stream()
                        .skip(1)
                        .map(line -> line.replaceFirst("^[^,]*,[^,]*,[^,]*,[^,]*,", ""))
                        .toList());
    }

    @Test
    void shouldGuardAgainstFormulasWhenAskedTo() {
        cli.importText("s", "csv", "n,t\n-1,=1+1\n").ok();
        assertEquals(
                "-1,=1+1", last(cli.run("scan", "s", "-o", "csv").ok().lines().get(1)));
        assertEquals(
                "-1,'=1+1",
                last(cli.run("scan", "s", "-o", "csv-safe").ok().lines().get(1)));
    }

    private static String last(String line) {
        return line.substring(line.lastIndexOf("-1,"));
    }
}
