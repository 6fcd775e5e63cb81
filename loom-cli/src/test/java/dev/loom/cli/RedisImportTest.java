package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.StringJoiner;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A real capture, imported and scanned back field for field; with {@code -Dloom.data=DIR} a whole one. */
class RedisImportTest {
    @TempDir
    static Path directory;

    private static Cli cli = new Cli();

    private static Path store() {
        return directory.resolve("store");
    }

    @BeforeAll
    static void importAll() {
        cli = Cli.on(store());
        for (String source : RedisOracle.SOURCES) {
            RedisOracle oracle = RedisOracle.of(source);
            List<String> arguments = oracle.importArguments();
            arguments.add(RedisCapture.file(oracle.fileName()).toString());
            cli.run(arguments.toArray(String[]::new)).ok();
        }
    }

    private static List<String> scan(String source, String... options) {
        List<String> arguments = new ArrayList<>(List.of("scan", source, "--asc", "-o", "json"));
        arguments.addAll(List.of(options));
        return cli.run(arguments.toArray(String[]::new)).ok().lines();
    }

    @ParameterizedTest
    @FieldSource("dev.loom.cli.RedisOracle#SOURCES")
    void shouldGiveBackEveryRecord(String source) {
        RedisReading.requireAll(RedisOracle.of(source), scan(source));
    }

    /** Opened again by a writer, and read through the library by the process that writes. */
    @ParameterizedTest
    @FieldSource("dev.loom.cli.RedisOracle#SOURCES")
    void shouldGiveBackEveryRecordToItsWriterAfterReopening(String source) {
        List<String> records = new ArrayList<>();
        try (Loom loom = Loom.open(LoomConfig.at(store()).build());
                Snapshot snapshot = loom.snapshot()) {
            loom.push(loom.defineSource("noise", Formats.bytes()), new UnsafeBuffer(new byte[8]), 0, 8);
            Source found = snapshot.source(source).orElseThrow();
            FieldValue value = new FieldValue();
            try (QueryCursor cursor =
                    RawScan.of(snapshot, found).order(Order.OLDEST_FIRST).open()) {
                while (cursor.next()) {
                    StringJoiner record = new StringJoiner(",", "{", "}");
                    found.format()
                            .forEachField(
                                    cursor.buffer(),
                                    cursor.offset(),
                                    cursor.length(),
                                    value,
                                    (name, read) -> record.add('"' + name + "\":" + json(read)));
                    records.add(record.toString());
                }
            }
            loom.closeSource(loom.source("noise").orElseThrow().id());
        }
        assertEquals(RedisOracle.of(source).records(), records);
    }

    private static String json(FieldValue value) {
        return switch (value.kind()) {
            case TEXT -> '"' + value.text() + '"';
            case BYTES -> {
                byte[] bytes = new byte[value.length()];
                value.bytes().getBytes(value.offset(), bytes);
                yield '"' + Base64.getEncoder().encodeToString(bytes) + '"';
            }
            case ABSENT -> "null";
            default -> value.text();
        };
    }

    @Test
    void shouldFindTheSlowRequestAndWhatLayAroundItInEventTime() {
        List<String> slow = scan("requests", "--where", "latency_ns > 30ms", "--time", "event");
        assertEquals(1, slow.size());
        assertTrue(
                slow.get(0)
                        .startsWith("{\"time\":\"2026-11-21T02:46:36.440121559Z\",\"ts\":1795229196440121559,"
                                + "\"source\":\"requests\",\"addr\":"),
                slow.get(0));
        assertEquals(
                "{\"ts_ns\":2904627318388,\"op\":\"GET\",\"key\":\"key:085509\",\"latency_ns\":40512498}",
                RedisReading.fields(slow.get(0)));
        // The client waited for it, so that nothing else went on but a few packets of this and another connection.
        String[] during = {"--time", "event", "--from", "1795229196399609061", "--to", "1795229196440121559"};
        assertEquals(0, scan("requests", during).size());
        assertEquals(4, scan("packets", during).size());
        String[] around = {"--time", "event", "--from", "1795229196380000000", "--to", "1795229196460000000"};
        for (String source : new String[] {"requests", "syscalls", "packets"}) {
            List<String> lines = scan(source, around);
            assertTrue(lines.size() > 100, source);
            for (int i = 1; i < lines.size(); i++) {
                assertTrue(lines.get(i).compareTo(lines.get(i - 1)) > 0, lines.get(i));
            }
        }
    }

    @Test
    void shouldCountWhatItHolds() {
        List<String> sources = cli.run("sources").ok().lines();
        assertEquals(3, sources.stream().filter(line -> !line.contains("noise")).count());
        for (String source : RedisOracle.SOURCES) {
            String expected = "\"records\":" + RedisOracle.of(source).records().size() + ",";
            String line = sources.stream()
                    .filter(candidate -> candidate.startsWith("{\"name\":\"" + source + '"'))
                    .findFirst()
                    .orElseThrow();
            assertTrue(line.contains(expected) && line.endsWith(",\"lost\":0}"), line);
        }
    }
}
