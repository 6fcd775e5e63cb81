package dev.loom.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.time.TimePrinter;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class RecordPrinterTest {
    private static final StructFormat FORMAT =
            Formats.struct("n:i64?,u:u64,f:f64,g:f32,b:bool,t:utf8?,d:bytes,time:i8");
    private static final long TIME_NS = 1_795_229_193_399_411_123L;
    private static final String HOSTILE = "=\u001b[2J\u0007,\"\u202eevil\u2028\n";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private static UnsafeBuffer payload(boolean present) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        StructWriter writer = new StructWriter(FORMAT);
        writer.begin(buffer, 0);
        writer.setUnsigned(1, -1);
        writer.setDouble(2, present ? 0.1 : Double.NaN);
        writer.setDouble(3, present ? 0.1f : Float.NEGATIVE_INFINITY);
        writer.setBoolean(4, present);
        if (present) {
            writer.setLong(0, -5);
            writer.setUtf8(5, HOSTILE);
        }
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[] {0, 1, (byte) 0xFE});
        writer.setBytes(6, bytes, 0, 3);
        writer.setLong(7, 3);
        return new UnsafeBuffer(buffer, 0, writer.finish());
    }

    private String printed(OutputFormat form, boolean terminal, PayloadFormat format, UnsafeBuffer... payloads) {
        Cli cli = terminal ? new Cli().outTerminal() : new Cli();
        return printed(form, cli.environment("NO_COLOR", "1").console(out, out), format, ZoneOffset.UTC, payloads);
    }

    private String printed(
            OutputFormat form, Console console, PayloadFormat format, ZoneId zone, UnsafeBuffer... payloads) {
        RecordPrinter printer =
                form.records(console, "so\"urce", format, new TimePrinter(zone), TableStyle.PLAIN, false);
        long address = 65_600;
        for (UnsafeBuffer payload : payloads) {
            printer.print(TIME_NS, address, payload, 0, payload.capacity());
            address += 64;
        }
        printer.flush();
        String text = out.toString(StandardCharsets.UTF_8);
        out.reset();
        return text;
    }

    @Test
    void shouldPrintJson() {
        assertEquals("""
            {"time":"2026-11-21T02:46:33.399411123Z","ts":1795229193399411123,"source":"so\\"urce","addr":65600,\
            "fields":{"n":-5,"u":18446744073709551615,"f":0.1,"g":0.1,"b":true,\
            "t":"=\\u001b[2J\\u0007,\\"\\u202eevil\\u2028\\n","d":"AAH+","time":3}}
            {"time":"2026-11-21T02:46:33.399411123Z","ts":1795229193399411123,"source":"so\\"urce","addr":65664,\
            "fields":{"n":null,"u":18446744073709551615,"f":"NaN","g":"-Infinity","b":false,\
            "t":null,"d":"AAH+","time":3}}
            """, printed(OutputFormat.JSON, false, FORMAT, payload(true), payload(false)));
    }

    @Test
    void shouldPrintCsv() {
        String common = "2026-11-21T02:46:33.399411123Z,1795229193399411123,\"so\"\"urce\",";
        assertEquals(
                List.of(
                        "time,ts,source,addr,n,u,f,g,b,t,d,fields.time",
                        common + "65600,-5,18446744073709551615,0.1,0.1,true,\"=\u001b[2J\u0007,\"\"\u202eevil\u2028",
                        "\",AAH+,3",
                        common + "65664,,18446744073709551615,NaN,-Infinity,false,,AAH+,3"),
                printed(OutputFormat.CSV, false, FORMAT, payload(true), payload(false))
                        .lines()
                        .toList());
    }

    @Test
    void shouldPrintATable() {
        List<String> lines = printed(OutputFormat.TABLE, false, FORMAT, payload(true), payload(false))
                .lines()
                .toList();
        String text = "=\\u001b[2J\\u0007,\"\\u202eevil\\u2028\\n";
        String gap = " ".repeat(text.length() - 1);
        assertEquals(
                List.of(
                        "time 2026-11-21Z     n                     u    f          g  b      t" + gap + "  d     time",
                        "02:46:33.399411123  -5  18446744073709551615  0.1        0.1  true   " + text + "  AAH+     3",
                        "02:46:33.399411123      18446744073709551615  NaN  -Infinity  false   " + gap
                                + "  AAH+     3"),
                lines);
    }

    @Test
    void shouldPrintTimesInTheZone() {
        String json = printed(
                OutputFormat.JSON, new Cli().console(out, out), FORMAT, ZoneId.of("Europe/Berlin"), payload(true));
        assertTrue(
                json.startsWith("{\"time\":\"2026-11-21T03:46:33.399411123+01:00\",\"ts\":1795229193399411123,"), json);
    }

    @Test
    void shouldPrintPayloadsRaw() {
        UnsafeBuffer line = utf8("a\u001bb");
        assertEquals("a\u001bb\na\u001bb\n", printed(OutputFormat.RAW, false, Formats.text(), line, line));
        assertEquals("a\u001bba\u001bb", printed(OutputFormat.RAW, false, Formats.bytes(), line, line));
        assertEquals("a\\u001bb\na\\u001bb\n", printed(OutputFormat.RAW, true, Formats.bytes(), line, line));
        UnsafeBuffer json = utf8("{\"a\": 1}");
        assertEquals("{\"a\": 1}\n", printed(OutputFormat.RAW, false, Formats.json(), json));
    }

    @Test
    void shouldKeepJsonLinesWholeWhateverWasPushed() {
        UnsafeBuffer pretty = utf8("{\n  \"a\": [1,\n 2]\n}");
        UnsafeBuffer broken = utf8("{\"a\":");
        UnsafeBuffer scalar = utf8("\"text\"");
        List<String> lines = printed(OutputFormat.JSON, false, Formats.json(), pretty, broken, scalar)
                .lines()
                .toList();
        assertEquals(3, lines.size());
        assertTrue(lines.get(0).endsWith(",\"fields\":{\"a\":[1,2]}}"), lines.get(0));
        String base64 = Base64.getEncoder().encodeToString("{\"a\":".getBytes(StandardCharsets.UTF_8));
        assertTrue(lines.get(1).endsWith(",\"fields\":null,\"payload\":\"" + base64 + "\"}"), lines.get(1));
        assertTrue(lines.get(2).endsWith(",\"fields\":\"text\"}"), lines.get(2));
    }

    @Test
    void shouldCutLongCellsOnATerminalAlone() {
        UnsafeBuffer line = utf8("x".repeat(200));
        assertTrue(printed(OutputFormat.TABLE, true, Formats.text(), line).contains("  " + "x".repeat(59) + "…\n"));
        assertTrue(printed(OutputFormat.TABLE, false, Formats.text(), line).contains("x".repeat(200)));
    }

    @Test
    void shouldWriteHeadingsBoldUnlessToldNotTo() {
        Console console = new Cli().outTerminal().console(out, out);
        String table = printed(OutputFormat.TABLE, console, Formats.text(), ZoneOffset.UTC, utf8("a"));
        assertTrue(table.startsWith("\u001b[1mtime "), table);
        assertFalse(printed(OutputFormat.TABLE, true, Formats.text(), utf8("a")).contains("\u001b"));
    }

    /** {@code -Dloom.printed.inputs=N} sets how many texts, {@code -Dloom.test.seed=S} the seed. */
    @Test
    void shouldLetNothingHiddenReachATerminal() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        long inputs = Long.getLong("loom.printed.inputs", 1_000);
        Random random = new Random(seed);
        List<PayloadFormat> formats = List.of(Formats.text(), Formats.bytes(), Formats.json(), FORMAT);
        List<OutputFormat> forms = Arrays.stream(OutputFormat.values())
                .filter(form -> form != OutputFormat.ARROW) // refused for a terminal
                .toList();
        Console console = new Cli()
                .outTerminal()
                .errTerminal()
                .environment("NO_COLOR", "1")
                .console(out, out);
        Console file = new Cli().console(out, out);
        long printed = 0;
        for (long input = 0; input < inputs; input++) {
            byte[] bytes = hostile(random);
            for (PayloadFormat format : formats) {
                UnsafeBuffer payload = new UnsafeBuffer(bytes);
                for (OutputFormat form : forms) {
                    requireVisible(printed(form, console, format, ZoneOffset.UTC, payload), seed, form, bytes);
                    printed++;
                }
                for (OutputFormat form : List.of(OutputFormat.JSON, OutputFormat.TABLE)) {
                    requireVisible(printed(form, file, format, ZoneOffset.UTC, payload), seed, form, bytes);
                    printed++;
                }
            }
            console.warn(new String(bytes, StandardCharsets.UTF_8));
            requireVisible(out.toString(StandardCharsets.UTF_8), seed, "warning", bytes);
            out.reset();
            printed++;
        }
        System.out.println("row=R34 faults=" + inputs + " checked=" + printed + " seed=" + seed);
    }

    /** Bytes of chance, or a text of characters that are likely to be hidden, to escape or to quote. */
    private static byte[] hostile(Random random) {
        byte[] bytes = new byte[random.nextInt(40)];
        random.nextBytes(bytes);
        if (random.nextInt(4) == 0) {
            return bytes;
        }
        StringBuilder text = new StringBuilder(random.nextBoolean() ? "{\"a\":\"" : "");
        for (byte b : bytes) {
            text.appendCodePoint(
                    switch (b & 7) {
                        case 0 -> random.nextInt(0x20);
                        case 1 -> 0x7F + random.nextInt(0x21);
                        case 2 -> 0x2000 + random.nextInt(0x70);
                        case 3 -> "=+-@\t\r\n\"\\',{}[]".charAt(random.nextInt(15));
                        case 4 -> 0xE0000 + random.nextInt(0x80);
                        case 5 -> random.nextInt(Character.MAX_CODE_POINT + 1);
                        default -> ' ' + random.nextInt(0x5F);
                    });
        }
        return text.append(text.indexOf("{") == 0 ? "\"}" : "").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void requireVisible(String text, long seed, Object form, byte[] bytes) {
        assertTrue(
                text.codePoints().allMatch(c -> c == '\n' || !HiddenCharacters.hides(c)),
                () -> "seed=" + seed + ", form=" + form + ", input="
                        + HexFormat.of().formatHex(bytes) + ", text=" + text);
    }

    private static UnsafeBuffer utf8(String text) {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.UTF_8));
    }
}
