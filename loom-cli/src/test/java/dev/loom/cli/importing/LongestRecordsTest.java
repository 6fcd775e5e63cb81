package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records as long as a store takes them are imported again, however long their rows are. */
class LongestRecordsTest {
    private static final StructFormat STRUCT = Formats.struct("n:i8,t:utf8,b:bytes");

    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Path file = Path.of("");
    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        store = directory.resolve("store");
        file = directory.resolve("rows");
        cli = Cli.onSmallStore(store);
    }

    /** One record in the source {@code a}, and its format for {@code b}. */
    private void push(PayloadFormat format, byte[] payload) {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            loom.defineSource("b", format);
            loom.push(loom.defineSource("a", format), payload);
        }
    }

    private int lengthMax() {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            return loom.payloadLengthMax();
        }
    }

    private byte[] payload(String source) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot();
                QueryCursor record = RawScan.of(
                                snapshot, snapshot.source(source).orElseThrow())
                        .open()) {
            assertTrue(record.next());
            byte[] payload = new byte[record.length()];
            record.buffer().getBytes(record.offset(), payload);
            return payload;
        }
    }

    private void copyOfA(String form) {
        cli.run("export", "--format", form, "--source", "a", "--output", file.toString())
                .ok();
        cli.run("import", "--source", "b", "--format", form, file.toString()).ok();
        assertArrayEquals(payload("a"), payload("b"));
    }

    /** A struct of the greatest length whose texts are of one character, or whose bytes are as many. */
    private static byte[] struct(int length, char text, boolean bytes) {
        StructWriter writer = new StructWriter(STRUCT);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[length + 16]);
        int filling = length;
        byte[] payload;
        do {
            byte[] content = new byte[filling];
            Arrays.fill(content, (byte) text);
            writer.begin(buffer, 0);
            writer.setLong(0, -128);
            writer.setUtf8(1, new UnsafeBuffer(content), 0, bytes ? 0 : filling);
            writer.setBytes(2, new UnsafeBuffer(content), 0, bytes ? filling : 0);
            payload = Arrays.copyOf(buffer.byteArray(), writer.finish());
            filling -= payload.length - length;
        } while (payload.length != length);
        return payload;
    }

    @ParameterizedTest
    @CsvSource({"csv,34,false", "csv,44,false", "csv,1,true", "jsonl,1,false", "jsonl,34,false", "jsonl,1,true"})
    void shouldImportTheLongestStructAgain(String form, int text, boolean bytes) {
        push(STRUCT, struct(lengthMax(), (char) text, bytes));
        copyOfA(form);
    }

    @Test
    void shouldImportTheLongestJsonAgain() {
        String json = "{\"a\":\"" + "\\u0001".repeat((lengthMax() - 8) / 6);
        json += "x".repeat(lengthMax() - json.length() - 2) + "\"}";
        push(Formats.json(), json.getBytes(StandardCharsets.US_ASCII));
        copyOfA("jsonl");
        assertEquals(lengthMax(), payload("b").length);
    }

    @Test
    void shouldTellARowThatIsTooLong() throws Exception {
        int length = lengthMax();
        cli.run("source", "add", "b", "--fields", "n:i8,t:utf8,b:bytes").ok();
        for (String form : new String[] {"csv", "jsonl"}) {
            int limit = (form.equals("csv") ? 2 : 6) * length + (1 << 20);
            String start = form.equals("csv") ? "n,t,b\n1," : "{\"n\":1,\"t\":\"";
            Files.writeString(file, start + "x".repeat(limit) + (form.equals("csv") ? ",\n" : "\",\"b\":\"\"}\n"));
            String err = cli.run("import", "--source", "b", "--format", form, file.toString())
                    .exit(4)
                    .err();
            assertTrue(err.contains(" is longer than " + limit + " bytes"), err);
            Files.writeString(file, start + "x".repeat(length) + (form.equals("csv") ? ",\"\"\n" : "\",\"b\":\"\"}\n"));
            err = cli.run("import", "--source", "b", "--format", form, file.toString())
                    .exit(4)
                    .err();
            assertTrue(err.contains("record is too long: length="), err);
        }
    }
}
