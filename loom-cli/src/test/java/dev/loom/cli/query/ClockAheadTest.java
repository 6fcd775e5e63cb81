package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Relative times of a store whose records are a century ahead of the machine's clock. */
final class ClockAheadTest {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long AHEAD_NS = TimeUnit.DAYS.toNanos(36_525);

    @TempDir
    Path directory;

    @BeforeEach
    void write() {
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 60 * MINUTE_NS);
        try (Loom loom = Loom.open(
                LoomConfig.at(directory.resolve("store")).clock(clock::get).build())) {
            int lines = loom.defineSource("lines", Formats.text());
            loom.push(lines, text("before"));
            clock.set(Cli.NOW_NS + AHEAD_NS);
            for (int minute = 0; minute <= 20; minute += 10) {
                loom.push(lines, text("after " + minute));
                clock.addAndGet(10 * MINUTE_NS);
            }
        }
    }

    private static byte[] text(String line) {
        return line.getBytes(StandardCharsets.UTF_8);
    }

    private Cli.Result scan(String... options) {
        String[] arguments = new String[options.length + 4];
        System.arraycopy(new String[] {"scan", "lines", "-o", "raw"}, 0, arguments, 0, 4);
        System.arraycopy(options, 0, arguments, 4, options.length);
        return Cli.on(directory.resolve("store")).run(arguments).ok();
    }

    @Test
    void shouldCountRelativeTimesFromTheStoresOwnNow() {
        assertEquals("after 20\n", scan("--since", "5m").out());
        assertEquals("after 20\nafter 10\n", scan("--since", "15m").out());
        assertEquals("after 10\n", scan("--from", "now-15m", "--to", "now-5m").out());
        String told = scan("--since", "5m").err();
        assertTrue(told.startsWith("loom: the store's clock is ahead of the machine's: seconds=3155761200;"), told);
    }

    @Test
    void shouldTakeARangeOfWhichOneEndIsRelative() {
        // the store's now is that of its last record, 2126-11-22T03:06:40Z
        assertEquals(
                "after 20\nafter 10\n",
                scan("--from", "2126-11-22T02:50:00Z", "--to", "now+1m").out());
        assertEquals(
                "after 10\n",
                scan("--from", "now-15m", "--to", "2126-11-22T03:00:00Z").out());
        Cli cli = Cli.on(directory.resolve("store"));
        for (String[] ends : new String[][] {
            {"--from", "now", "--to", "2026-11-21T02:00:00Z"},
            {"--from", "2126-11-22T04:00:00Z", "--to", "now"},
            {"--from", "now", "--to", "now-1s"}
        }) {
            Cli.Result refused =
                    cli.run("scan", "lines", ends[0], ends[1], ends[2], ends[3]).exit(2);
            assertTrue(refused.err().contains("time range ends before it begins"), refused.err());
        }
        assertTrue(cli.run("scan", "lines", "--from", "yesterday", "--to", "now")
                .exit(2)
                .err()
                .contains("not a time: \"yesterday\""));
    }

    @Test
    void shouldChooseThoseOfADifferenceByTheStoresOwnNow() {
        Cli.Result found = Cli.on(directory.resolve("store"))
                .run("diff", "lines", "--selected-from", "now-15m", "--selected-to", "now-5m", "-o", "json")
                .ok();
        assertTrue(found.err().contains("relative times use the store's clock"), found.err());
        assertTrue(found.err().contains("nothing is more frequent among the chosen records"), found.err());
    }

    @Test
    void shouldLeaveOtherTimesAsTheyAre() {
        assertEquals(
                "before\n", scan("--to", "2026-11-21T03:00:00Z", "--limit", "9").out());
    }
}
