package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JSON's integers have more digits than a double. */
class ExactIntegersTest {
    private static final long BIG = 1L << 53;

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void fill() {
        cli = Cli.onSmallStore(directory);
        cli.importText(
                        "j",
                        "jsonl",
                        "{\"v\":" + BIG + "}\n{\"v\":" + (BIG + 1) + "}\n{\"v\":" + (BIG + 2) + "}\n{\"v\":"
                                + Long.MAX_VALUE + "}\n{\"v\":" + (Long.MAX_VALUE - 1) + "}\n")
                .ok();
    }

    private List<String> values(String... arguments) {
        return cli.run(arguments).ok().lines().stream()
                .map(line -> line.replaceAll(".*\"v\":(\\d+).*", "$1"))
                .toList();
    }

    @Test
    void shouldKeepEveryDigit() {
        String agg = cli.run("agg", "j", "v", "--percentile", "40").ok().out();
        assertTrue(agg.contains("\"min\":" + BIG + ",\"max\":" + Long.MAX_VALUE + ","), agg);
        assertTrue(agg.contains("\"percentiles\":{\"40\":" + (BIG + 1) + "}"), agg);
        assertEquals(
                List.of("" + Long.MAX_VALUE, "" + (Long.MAX_VALUE - 1), "" + (BIG + 2), "" + (BIG + 1), "" + BIG),
                values("top", "j", "v", "-n", "5"));
        String hist =
                cli.run("hist", "j", "v", "--by", "time", "--step", "1h").ok().out();
        assertTrue(hist.contains("\"min\":" + BIG + ",\"max\":" + Long.MAX_VALUE), hist);
        assertEquals(
                5 + 5,
                cli.run("correlate", "j", "v", "--above", "" + (Long.MAX_VALUE - 2), "--with", "j", "--within", "1h")
                        .ok()
                        .lines()
                        .size());
        assertEquals(
                5,
                cli.run("correlate", "j", "v", "--above", "p80", "--with", "j", "--within", "1h")
                        .ok()
                        .lines()
                        .size());
    }
}
