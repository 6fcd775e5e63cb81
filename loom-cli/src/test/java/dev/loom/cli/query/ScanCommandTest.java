package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.LossReason;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a store with one record a second, from ten seconds before the commands' now on. */
class ScanCommandTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir
    static Path directory;

    private final Cli cli = Cli.on(directory.resolve("store"));

    @BeforeAll
    static void write() {
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 11 * SECOND_NS);
        LoomConfig config =
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build();
        try (Loom loom = Loom.open(config)) {
            int lines = loom.defineSource("lines", Formats.text());
            int empty = loom.defineSource("empty", Formats.bytes());
            loom.closeSource(empty);
            int again = loom.defineSource("empty", Formats.text());
            for (int i = 0; i < 10; i++) {
                clock.addAndGet(SECOND_NS);
                loom.push(lines, ("line " + i).getBytes(StandardCharsets.UTF_8));
            }
            loom.push(again, "other".getBytes(StandardCharsets.UTF_8));
        }
    }

    private String scan(String... options) {
        return run(options).ok().out().replace("line ", "").replace("\n", "");
    }

    private Cli.Result run(String... options) {
        List<String> arguments = new ArrayList<>(List.of("scan", "lines", "-o", "raw"));
        arguments.addAll(List.of(options));
        return cli.run(arguments.toArray(String[]::new));
    }

    @Test
    void shouldPrintNewestFirstUnlessAskedOtherwise() {
        assertEquals("9876543210", scan());
        assertEquals("0123456789", scan("--asc"));
        assertEquals("987", scan("--limit", "3"));
        assertEquals("012", scan("--limit", "3", "--asc"));
        assertEquals("", scan("--limit", "0"));
    }

    @Test
    void shouldFailOverLostRecordsIfThatIsAskedFor() {
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 11 * SECOND_NS);
        Path store = directory.resolve("lossy");
        try (Loom loom = Loom.open(LoomConfig.at(store).clock(clock::get).build())) {
            int id = loom.defineSource("s", Formats.json());
            loom.push(id, "{\"v\":1}".getBytes(StandardCharsets.UTF_8));
            clock.addAndGet(5 * SECOND_NS);
            loom.noteLoss(id, LossReason.STORE_FULL, 3, clock.get(), clock.get() + 1);
            clock.addAndGet(SECOND_NS);
            loom.push(id, "{\"v\":2}".getBytes(StandardCharsets.UTF_8));
        }
        Cli lossy = Cli.on(store);
        for (String query : List.of("scan s", "agg s v", "top s v", "values s v", "hist s v", "tail s")) {
            lossy.run(query.split(" ", -1)).ok();
            lossy.run((query + " --strict").split(" ", -1)).exit(6);
        }
    }

    @Test
    void shouldTakeHalfOpenRanges() {
        assertEquals("4567", scan("--asc", "--from", "2026-11-21T02:46:34Z", "--to", "2026-11-21T02:46:38Z"));
        assertEquals("456789", scan("--asc", "--since", "6s"));
        assertEquals("45", scan("--asc", "--since", "6s", "--to", "now-4s"));
        assertEquals("45", scan("--asc", "--from", "1795229194", "--to", "1795229196000000000"));
        assertEquals("0123", scan("--asc", "--to", "2026-11-21T03:46:34", "--tz", "Europe/Berlin"));
        assertEquals("", scan("--from", "now"));
    }

    @Test
    void shouldTakeHalfOpenRangesOfAddresses() {
        List<String> addresses = cli.run("scan", "lines", "-o", "json", "--asc").ok().lines().stream()
                .map(line -> line.replaceAll(".*\"addr\":(\\d+).*", "$1"))
                .toList();
        assertEquals("76543", scan("--from-address", addresses.get(3), "--to-address", addresses.get(8)));
        assertEquals("89", scan("--asc", "--from-address", addresses.get(8)));
        assertEquals("3", scan("--to-address", addresses.get(4), "--limit", "1"));
    }

    @Test
    void shouldTellTheRangeThatWasMeant() {
        run("--from", "now-6s", "--to", "now-4s")
                .ok()
                .says("arrival time from 2026-11-21T02:46:34.000000000Z to 2026-11-21T02:46:36.000000000Z (excluded)");
        run("--since", "6s", "--tz", "+02:00")
                .ok()
                .says("arrival time from 2026-11-21T04:46:34.000000000+02:00 to the end");
        run("--to", "now-4s").ok().says("arrival time from the beginning to 2026-11-21T02:46:36.000000000Z (excluded)");
        assertEquals("", run().ok().err());
    }

    @Test
    void shouldFilterByExpressions() {
        assertEquals("5", scan("--where", "line == \"line 5\""));
        assertEquals("54", scan("--where", "line >= \"line 4\"", "--where", "line < \"line 6\""));
        assertEquals("", scan("--where", "line contains \"x\""));
        assertEquals("9", scan("--where", "line contains \"9\" or line contains \"8\"", "--limit", "1"));
    }

    @Test
    void shouldTellWhatIsWrongWithAnExpression() {
        String syntax = run("--where", "line ==").exit(2).err();
        assertTrue(syntax.startsWith("loom: --where: expected "), syntax);
        assertTrue(syntax.endsWith(", expression=line ==\n"), syntax);
        String field = run("--where", "nope == 1").exit(2).err();
        assertTrue(field.startsWith("loom: --where: unknown field: field=nope"), field);
        assertEquals(1, field.lines().count());
    }

    @Test
    void shouldTellWhatIsWrongWithATime() {
        run("--from", "yesterday")
                .exit(2)
                .says("not a time: \"yesterday\"; expected RFC 3339 such as 2026-11-21T02:46:33Z, an epoch or now-5m");
        run("--since", "5")
                .exit(2)
                .says("not a duration: \"5\"; expected a number and a unit of ns, us, ms, s, m, h, d,"
                        + " for example 250ms or 1h30m");
        run("--since", "5m", "--from", "now").exit(2).says("since and from are mutually exclusive");
        run("--from", "now", "--to", "now-1s")
                .exit(2)
                .says("time range ends before it begins: from=1795229200000000000, to=1795229199000000000");
        run("--tz", "Mars/Olympus")
                .exit(2)
                .says("--tz: unknown zone: Mars/Olympus; for example Europe/Berlin or +02:00");
        run("--limit", "-1").exit(2).says("--limit is negative: -1");
        run("--limit", "x").exit(2).says("Invalid value for option '--limit': 'x' is not a long; see loom scan --help");
    }

    @Test
    void shouldNameTheSourcesThereAre() {
        cli.run("scan", "none").exit(2).says("no such source: none; sources: lines, empty");
        cli.run("scan", "#9").exit(2).says("no such source: #9; sources: lines, empty");
    }

    @Test
    void shouldTellSourcesOfOneNameApartById() {
        cli.run("scan", "empty", "-o", "raw").ok().prints("other\n");
        cli.run("scan", "#2", "-o", "raw").ok().prints("");
        cli.run("scan", "#3", "-o", "raw").ok().prints("other\n");
    }

    @Test
    void shouldPrintATableOnATerminal() {
        String table = Cli.on(directory.resolve("store"))
                .outTerminal()
                .environment("NO_COLOR", "1")
                .run("scan", "lines", "--limit", "1")
                .ok()
                .out();
        assertEquals("time 2026-11-21Z  line\n02:46:39.000      line 9\n", table);
    }

    @Test
    void shouldExplain() {
        String err = run("--explain", "--since", "6s", "--where", "line == \"line 5\"")
                .ok()
                .err();
        String explain = err.lines().skip(1).findFirst().orElseThrow();
        assertTrue(
                explain.matches("\\{\"explain\":\\{\"pages_considered\":\\d+,\"pages_skipped_by_time\":\\d+,"
                        + "\"pages_skipped_by_bins\":0,\"pages_skipped_by_tokens\":0,\"pages_read\":\\d+,\"bytes_read\":\\d+,\"chunks_read\":\\d+,"
                        + "\"chunks_from_totals\":0,\"chunks_from_bins\":0,\"runs\":0,\"records_printed\":1,\"scans\":1,"
                        + "\"wall_ns\":\\d+,\"cpu_ns\":\\d+,\"time_index\":\"used\",\"chunk_index\":"
                        + "\\[\"line == \\\\\"line 5\\\\\": no index over text\"],\"complete\":true,\"lost\":0,"
                        + "\"damaged_pages\":0,\"expired\":false,\"limit\":\"none\"}}"),
                explain);
        String without = run("--explain", "--disable-index", "time").ok().err();
        assertTrue(without.contains("\"time_index\":\"not used: disabled\""), without);
        assertEquals("987", scan("--disable-index", "time", "--limit", "3"));
    }

    @Test
    void shouldEndAtABudgetWithWhatItHas() {
        Cli.Result bytes = run("--max-bytes-read", "1").exit(4);
        assertTrue(
                bytes.err()
                        .matches("loom: incomplete answer: \\{\"complete\":false,\"lost\":0,\"damaged_pages\":0,"
                                + "\"expired\":false,\"limit\":\"bytes\"}\n"),
                bytes.err());
        Cli.Result time = run("--timeout", "0s").exit(4);
        assertTrue(time.err().contains("\"limit\":\"time\""), time.err());
        run("--timeout", "1").exit(2);
        run("--max-bytes-read", "1 MB").exit(2);
    }
}
