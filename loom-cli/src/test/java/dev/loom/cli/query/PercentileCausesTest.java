package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which records {@code correlate --above} means where several have the value of the percentile. */
class PercentileCausesTest {
    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void fill() {
        cli = Cli.onSmallStore(directory);
        cli.importText("causes", "jsonl", "{\"v\":1}\n{\"v\":1}\n{\"v\":1}\n{\"v\":5}\n{\"v\":5}\n{\"v\":9}\n")
                .ok();
        cli.importText("other", "jsonl", "{\"w\":0}\n").ok();
    }

    private long causes(String above, String told) {
        Cli.Result result = cli.run("correlate", "causes", "v", "--above", above, "--with", "other", "--within", "1h")
                .ok();
        assertEquals(told, result.err());
        return result.lines().size();
    }

    @Test
    void shouldMeanThoseThatAreGreaterThanANumber() {
        assertEquals(3, causes("1", ""));
        assertEquals(1, causes("5", ""));
    }

    @Test
    void shouldMeanThoseOfHigherRanksThanAPercentile() {
        assertEquals(3, causes("p50", "loom: v above 1, percentile 50 of 6 values\n"));
        assertEquals(1, causes("p83.333", "loom: v above 5, percentile 83.333 of 6 values\n"));
    }

    @Test
    void shouldMeanTiesWithThemToo() {
        // rank 3 is above, and its value is that of ranks 1 and 2, too
        assertEquals(6, causes("p0", "loom: v at or above 1, percentile 0 of 6 values\n"));
        assertEquals(6, causes("p33", "loom: v at or above 1, percentile 33 of 6 values\n"));
        assertEquals(3, causes("p60", "loom: v at or above 5, percentile 60 of 6 values\n"));
    }

    @Test
    void shouldMeanThoseAtTheMaximumWhereNoRankIsHigher() {
        assertEquals(1, causes("p83.334", "loom: v at or above 9, percentile 83.334 of 6 values\n"));
        cli.importText("causes", "jsonl", "{\"v\":9}\n{\"v\":9}\n").ok();
        assertEquals(3, causes("p100", "loom: v at or above 9, percentile 100 of 8 values\n"));
        assertEquals(3, causes("p75", "loom: v at or above 9, percentile 75 of 8 values\n"));
    }

    @Test
    void shouldSaySoInItsHelp() {
        String help = cli.run("correlate", "--help").ok().out().replaceAll("\\s+", " ");
        assertTrue(help.contains("greater than a value such as 50ms, or above a percentile, ties included"), help);
    }
}
