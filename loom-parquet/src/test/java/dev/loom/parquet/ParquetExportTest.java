package dev.loom.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a Parquet file has of the records of a source. DuckDB reads the files; it shares no code with their writer. */
class ParquetExportTest {
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;

    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final AtomicLong clock = new AtomicLong(BEGIN_NS);

    private Path file() {
        return directory.resolve("out.parquet");
    }

    /** Fills a source, and writes it as a file. */
    private ParquetExport.Written export(PayloadFormat format, Consumer<Source> fill, Consumer<ParquetExport> settings)
            throws IOException {
        try (Loom loom = Loom.open(
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build())) {
            int id = loom.defineSource("s", format);
            fill.accept(payload -> {
                clock.addAndGet(1000);
                assertTrue(loom.push(id, payload) >= 0);
            });
            try (Snapshot snapshot = loom.snapshot()) {
                ParquetExport export =
                        ParquetExport.of(snapshot, snapshot.source("s").orElseThrow());
                settings.accept(export);
                return export.write(file());
            }
        }
    }

    private interface Source {
        void push(byte[] payload);

        default void push(String payload) {
            push(utf8(payload));
        }
    }

    @Test
    void shouldWriteFilesOfLongNamesAndThoseThatLinksLeadTo() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("elsewhere"));
        Path target = folder.resolve("x".repeat(247) + ".parquet"); // the longest name there is
        Path link = Files.createSymbolicLink(
                directory.resolve("link"),
                Path.of("elsewhere", target.getFileName().toString()));
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            loom.push(loom.defineSource("s", Formats.text()), utf8("line"));
            try (Snapshot snapshot = loom.snapshot()) {
                ParquetExport export =
                        ParquetExport.of(snapshot, snapshot.source("s").orElseThrow());
                assertThrows(IOException.class, () -> export.write(loop));
                for (int i = 0; i < 2; i++) {
                    assertEquals(1, export.write(link).records());
                }
            }
        }
        assertTrue(Files.isSymbolicLink(link));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(target), files.toList());
        }
    }

    private List<String> query(String sql) {
        return DuckFile.query(file(), sql);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void none(ParquetExport export) {}

    private List<String> schema() {
        return query("select column_name || ' ' || column_type from (describe select * from FILE)");
    }

    @Test
    void shouldRunWithoutHadoop() {
        for (String name : List.of("conf.Configuration", "fs.Path", "fs.FileSystem")) {
            assertThrows(ClassNotFoundException.class, () -> Class.forName("org.apache.hadoop." + name));
        }
    }

    @Test
    void shouldHoldLinesAsTexts() throws IOException {
        ParquetExport.Written written = export(
                Formats.text(),
                source -> {
                    source.push("one");
                    source.push("");
                    source.push("z\u00e9ro \ud83d\ude00");
                    source.push(new byte[] {'a', (byte) 0xC3, 'b', (byte) 0xED, (byte) 0xA0, (byte) 0x80});
                },
                this::none);
        assertEquals(4, written.records());
        assertEquals(1, written.repaired());
        assertEquals(Completeness.Limit.NONE, written.completeness().limit());
        assertEquals(List.of("time TIMESTAMPTZ_NS", "addr BIGINT", "line VARCHAR"), schema());
        assertEquals(
                List.of("one", "", "z\u00e9ro \ud83d\ude00", "a\ufffdb\ufffd"),
                query("select line from FILE order by addr"));
        assertEquals(
                List.of(BEGIN_NS + 1000 + "|" + (BEGIN_NS + 4000)),
                query("select min(epoch_ns(time)), max(epoch_ns(time)) from FILE"));
    }

    @Test
    void shouldHoldBytesAsTheyAre() throws IOException {
        export(
                Formats.bytes(),
                source -> {
                    source.push(new byte[] {0, (byte) 0xFF});
                    source.push(new byte[0]);
                },
                this::none);
        assertEquals(List.of("00ff", ""), query("select bytes from FILE order by addr"));
    }

    @Test
    void shouldHoldKeysOfJsonWithTheirTypes() throws IOException {
        ParquetExport.Written written = export(
                Formats.json(),
                source -> {
                    source.push("{\"n\": 7, \"a\": {\"b\": \"x\\u00e9\"}, \"f\": 1.5, \"t\": true}");
                    source.push("{\"n\": 3.0, \"a\": {\"b\": 4}, \"f\": 18446744073709551615, \"t\": 1}");
                    source.push("{\"n\": \"7\", \"a\": {\"b\": [1, {}]}, \"f\": null}");
                    source.push("{\"n\": 2147483648}");
                    source.push("no json");
                },
                export -> export.column("n", Field.Type.I32)
                        .column("a.b", Field.Type.UTF8)
                        .column("f", Field.Type.F64)
                        .column("t", Field.Type.BOOL));
        assertEquals(
                List.of(
                        "7|x\u00e9|1.5|true",
                        "3|4|1.8446744073709552E19|null",
                        "null|[1, {}]|null|null",
                        "null|null|null|null",
                        "null|null|null|null"),
                query("select n, \"a.b\", f, t from FILE order by addr"));
        assertEquals(3, written.unfitting());
        assertEquals(List.of("no json"), query("select json from FILE where json not like '{%'"));
    }

    @Test
    void shouldHoldIntegersAtTheirEdges() throws IOException {
        ParquetExport.Written written = export(
                Formats.json(),
                source -> Stream.of(
                                "127, \"u\": 255, \"l\": 9223372036854775807, \"v\": 18446744073709551615",
                                "-128, \"u\": 0, \"l\": -9223372036854775808, \"v\": 0",
                                "128, \"u\": 256, \"l\": 9223372036854775808, \"v\": -1",
                                "-129, \"u\": -1, \"l\": 9.223372036854775808e18, \"v\": 1e30",
                                "1.5, \"u\": 2e2, \"l\": -9.223372036854775808e18, \"v\": -0.5")
                        .forEach(rest -> source.push("{\"i\": " + rest + "}")),
                export -> export.column("i", Field.Type.I8)
                        .column("u", Field.Type.U8)
                        .column("l", Field.Type.I64)
                        .column("v", Field.Type.U64));
        assertEquals(
                List.of(
                        "127|255|9223372036854775807|18446744073709551615",
                        "-128|0|-9223372036854775808|0",
                        "null|null|null|null",
                        "null|null|null|null",
                        "null|200|-9223372036854775808|null"),
                query("select i, u, l, v from FILE order by addr"));
        assertEquals(10, written.unfitting());
    }

    @Test
    void shouldHoldNumbersAtTheEdgesOfFloats() throws IOException {
        ParquetExport.Written written = export(
                Formats.json(),
                source -> Stream.of("1e300", "-3.5e38", "3.4028234663852886e38", "1e-60", "0.5", "18446744073709551615")
                        .forEach(number -> source.push("{\"x\": " + number + "}")),
                export -> export.column("x", Field.Type.F32));
        assertEquals(
                List.of("null", "null", "3.4028235E38", "0.0", "0.5", "1.8446744E19"),
                query("select x from FILE order by addr"));
        assertEquals(2, written.unfitting());
    }

    @Test
    void shouldNameColumnsApart() throws IOException {
        export(
                Formats.timed(Formats.struct("time:i64,addr:u8,fields.time:bool")),
                source -> source.push(new byte[9]),
                this::none);
        assertEquals(
                List.of(
                        "time TIMESTAMPTZ_NS",
                        "addr BIGINT",
                        "event_time TIMESTAMPTZ_NS",
                        "fields.time BIGINT",
                        "fields.addr UTINYINT",
                        "fields.fields.time BOOLEAN"),
                schema());
        assertEquals(List.of("0|null"), query("select epoch_ns(event_time), \"fields.addr\" from FILE"));
    }

    @Test
    void shouldNameKeysOfJsonApart() throws IOException {
        export(
                Formats.json(),
                source -> source.push("{\"time\": 1, \"json\": 2, \"addr\": 3}"),
                export -> Stream.of("time", "json", "addr").forEach(key -> export.column(key, Field.Type.U8)));
        assertEquals(List.of("1|2|3"), query("select \"fields.time\", \"fields.json\", \"fields.addr\" from FILE"));
    }

    @Test
    void shouldRefuseColumnsThatCannotBe() throws IOException {
        export(Formats.struct("a:i64"), source -> {}, export -> {
            String refused = assertThrows(IllegalArgumentException.class, () -> export.column("b", Field.Type.I8))
                    .getMessage();
            assertEquals("source has no such field: source=s, field=b", refused);
            refused = assertThrows(IllegalArgumentException.class, () -> export.column("a", Field.Type.I8))
                    .getMessage();
            assertEquals("field has a column already: source=s, field=a", refused);
        });
    }

    @Test
    void shouldHoldTypesWhenThereAreNoRecords() throws IOException {
        assertEquals(
                0,
                export(Formats.struct("a:u16,b:f32?"), source -> {}, this::none).records());
        assertEquals(List.of("time TIMESTAMPTZ_NS", "addr BIGINT", "a USMALLINT", "b FLOAT"), schema());
        assertEquals(List.of("0"), query("select count(*) from FILE"));
    }

    @Test
    void shouldHoldTheRangeAlone() throws IOException {
        Consumer<Source> three = source -> Stream.of("a", "b", "c").forEach(source::push);
        export(Formats.text(), three, export -> export.range(new TimeRange(BEGIN_NS + 2000, BEGIN_NS + 3000)));
        assertEquals(List.of("b"), query("select line from FILE"));
    }

    @Test
    void shouldSayWhereTheRecordsAreFrom() throws IOException {
        export(Formats.struct("latency_ns:i64,n:i64"), source -> {}, this::none);
        assertEquals(
                List.of("loom.format|struct:latency_ns:i64,n:i64", "loom.source|s", "loom.unit.latency_ns|ns"),
                query("select decode(key), decode(value) from parquet_kv_metadata(FILE) order by 1"));
    }

    @Test
    void shouldBeWholeWhenCancelled() throws IOException {
        AtomicBoolean cancelled = new AtomicBoolean();
        ParquetExport.Written written = export(
                Formats.bytes(),
                source -> {
                    for (int i = 0; i < 5000; i++) {
                        source.push(new byte[1024]);
                    }
                },
                export -> export.cancelWhen(cancelled::get).progress(records -> {
                    if (records > 1000) {
                        cancelled.set(true);
                    }
                }));
        assertEquals(Completeness.Limit.CANCELLED, written.completeness().limit());
        assertTrue(written.records() > 1000 && written.records() < 5000, written.toString());
        assertEquals(List.of(written.records() + ""), query("select count(*) from FILE"));
    }

    @Test
    void shouldCountDamagedPages() throws IOException {
        export(
                Formats.bytes(),
                source -> {
                    for (int i = 0; i < 1 << 10; i++) {
                        source.push(new byte[1 << 10]);
                    }
                },
                this::none);
        Path segment = directory.resolve("store/record/00000000000000000000.seg");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[70_000] ^= 1;
        Files.write(segment, bytes);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build());
                Snapshot snapshot = loom.snapshot()) {
            ParquetExport.Written written = ParquetExport.of(
                            snapshot, snapshot.source("s").orElseThrow())
                    .write(file());
            assertEquals(1, written.completeness().damagedPages());
            assertTrue(written.records() < 1 << 10 && written.records() > 900, written.toString());
            assertEquals(List.of(written.records() + ""), query("select count(*) from FILE"));
        }
    }

    @Test
    void shouldLeaveNothingWhenTheFileCannotBeWritten() throws IOException {
        Files.createDirectory(file());
        assertThrows(IOException.class, () -> export(Formats.text(), source -> source.push("a"), this::none));
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(
                    List.of("out.parquet", "store"),
                    files.map(file -> file.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void shouldFailWhenTheStreamDoes() throws IOException {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int id = loom.defineSource("s", Formats.text());
            for (int i = 0; i < 100; i++) {
                loom.push(id, utf8("line " + i));
            }
            try (Snapshot snapshot = loom.snapshot()) {
                ParquetExport export =
                        ParquetExport.of(snapshot, snapshot.source("s").orElseThrow());
                export.write(whole);
                for (int room = 0; room < whole.size(); room++) {
                    Full full = new Full(room);
                    IOException failed = assertThrows(IOException.class, () -> export.write(full));
                    assertEquals("full", failed.getMessage());
                }
                assertEquals(100, export.write(new Full(whole.size())).records());
            }
        }
    }

    @Test
    void shouldSayThatRecordsExpired() throws IOException {
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store"))
                .recordRingBytes(1 << 20)
                .segmentBytes(1 << 20)
                .maxBytes(8 << 20)
                .build())) {
            int id = loom.defineSource("s", Formats.bytes());
            loom.push(id, new byte[1]);
            try (Snapshot snapshot = loom.snapshot()) {
                for (int i = 0; i < 32 << 10; i++) {
                    loom.push(id, new byte[1 << 10]);
                }
                loom.force();
                ParquetExport.Written written = ParquetExport.of(
                                snapshot, snapshot.source("s").orElseThrow())
                        .write(file());
                assertTrue(written.completeness().expired());
                assertEquals(List.of(written.records() + ""), query("select count(*) from FILE"));
            }
        }
    }

    @Test
    void shouldHoldWhatOtlpRecordsReferTo() throws IOException {
        String request = """
            {"resourceSpans": [{"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "web"}}]},
              "scopeSpans": [{"scope": {"name": "http"}, "spans": [{"name": "GET /",
                "traceId": "0102030405060708090a0b0c0d0e0f10", "spanId": "0102030405060708", "kind": 2,
                "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000000000001500",
                "attributes": [{"key": "http.route", "value": {"stringValue": "/"}},
                  {"key": "bytes", "value": {"intValue": "7"}}]}]}]}]}
            """;
        MessageBuffer message = new MessageBuffer(new UnsafeBuffer(new byte[1 << 16]), 0, 1 << 16);
        byte[] json = utf8(request);
        try (SharedWriter writer = new SharedWriter(
                Loom.open(LoomConfig.at(directory.resolve("store")).build()))) {
            ExportOutcome outcome = new ExportOutcome();
            new JsonRequests().transcode(Signal.TRACES, new UnsafeBuffer(json), 0, json.length, message, outcome);
            new OtlpIngester(writer, IngestSettings.defaults())
                    .export(Signal.TRACES, message.buffer(), message.offset(), message.length(), outcome);
            assertEquals(1, outcome.accepted(), outcome.message());
            try (Snapshot snapshot = writer.loom().snapshot()) {
                ParquetExport.of(snapshot, snapshot.source("otlp.spans").orElseThrow())
                        .column("attr.http.route", Field.Type.UTF8)
                        .column("attr.bytes", Field.Type.U16)
                        .write(file());
            }
        }
        assertEquals(
                List.of("GET /|server|1700000000000000000|1500|web|/|7|{\"http.route\":\"/\",\"bytes\":7}"),
                query("select name, kind, epoch_ns(start), duration, \"service.name\", \"attr.http.route\","
                        + " \"attr.bytes\", attributes from FILE"));
        assertTrue(schema().containsAll(List.of("start TIMESTAMPTZ_NS", "end TIMESTAMPTZ_NS", "duration BIGINT")));
        assertEquals(
                List.of("loom.unit.duration"),
                query("select decode(key) from parquet_kv_metadata(FILE) where decode(key) like '%unit%'"));
    }

    /** Takes some bytes, and no more. */
    private static final class Full extends OutputStream {
        private int room;

        Full(int room) {
            this.room = room;
        }

        @Override
        public void write(int value) throws IOException {
            if (room-- == 0) {
                throw new IOException("full");
            }
        }
    }

    @Test
    void shouldBoundRowGroupsByBytes() throws IOException {
        byte[] large = new byte[10 << 20];
        new Random(seed).nextBytes(large);
        export(
                Formats.bytes(),
                source -> {
                    for (int i = 0; i < 12; i++) {
                        source.push(large);
                        large[i]++;
                    }
                },
                this::none);
        assertEquals(
                List.of("4", "4", "4"),
                query("select distinct on (row_group_id) row_group_num_rows from parquet_metadata(FILE)"));
        assertEquals(List.of("12"), query("select count(distinct md5(bytes::varchar)) from FILE"));
    }
}
