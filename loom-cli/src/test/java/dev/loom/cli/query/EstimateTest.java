package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts of a store that is large enough for estimates, against what was pushed. */
class EstimateTest {
    private static final long STEP_NS = 1_000_000L;
    private static final int LINES = 60_000;
    private static final Pattern ROW = Pattern.compile(
            "\\{\"from\":\\d+,\"to\":\\d+,\"count\":(\\d+),\"exact\":false,\"low\":(\\d+),\"high\":(\\d+)}");

    @TempDir
    static Path directory;

    private static int timeouts;

    @BeforeAll
    static void write() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("EstimateTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - LINES * STEP_NS);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store"))
                .clock(() -> clock.getAndAdd(STEP_NS))
                .build())) {
            int source = loom.defineSource("app", Formats.text());
            String filler = " ".repeat(800);
            for (int i = 0; i < LINES; i++) {
                boolean timeout = random.nextInt(5) == 0;
                timeouts += timeout ? 1 : 0;
                loom.push(source, (i + (timeout ? " timeout" : " ok") + filler).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private final Cli cli = Cli.on(directory.resolve("store"));

    @Test
    void shouldEndWithAnEstimateThatIsNearEnough() {
        Cli.Result result = cli.run("search", "app", "timeout", "--count", "--step", "1h", "--within", "10%")
                .ok();
        Matcher row = ROW.matcher(result.lines().get(0));
        assertTrue(row.matches(), result.out());
        long count = Long.parseLong(row.group(1));
        long low = Long.parseLong(row.group(2));
        long high = Long.parseLong(row.group(3));
        assertTrue(low < count && count < high, result.out());
        assertTrue(high - low < 0.2 * count + 2, result.out());
        assertTrue(Math.abs(count - timeouts) < 0.3 * timeouts, result.out() + ", true=" + timeouts);
        String csv = cli.run("search", "app", "timeout", "--count", "--step", "1h", "--within", "10%", "-o", "csv")
                .ok()
                .out();
        assertTrue(csv.startsWith("from,to,count,exact,low,high\n"), csv);
    }

    @Test
    void shouldCountExactlyUnlessAskedForLess() {
        List<String> lines = cli.run("search", "app", "timeout", "--count", "--step", "1h")
                .ok()
                .lines();
        assertTrue(lines.get(0).endsWith("\"count\":" + timeouts + ",\"exact\":true}"), lines.toString());
    }

    @Test
    void shouldDrawAnEstimateFirstAndTheCountOverIt() {
        String drawn = Cli.on(directory.resolve("store"))
                .outTerminal()
                .run("search", "app", "timeout", "--count", "--step", "30s")
                .ok()
                .out();
        String[] charts = drawn.split("\u001b\\[\\d+A\u001b\\[J", -1);
        assertTrue(charts.length >= 2, drawn);
        assertTrue(charts[charts.length - 2].contains("about ") && charts[charts.length - 2].contains("95 %"), drawn);
        assertFalse(charts[charts.length - 1].contains("about "), drawn);
        String piped = cli.run("search", "app", "timeout", "--count", "-o", "table")
                .ok()
                .out();
        assertFalse(piped.contains("\u001b"), piped);
    }

    @Test
    void shouldRefuseSharesThatAreNone() {
        for (String share : List.of("0%", "101%", "2", "-1%", "x%", "")) {
            assertTrue(
                    cli.run("search", "app", "timeout", "--count", "--within", share)
                            .exit(2)
                            .err()
                            .contains("--within is not a share from above 0% to 100%: " + share),
                    share);
        }
        cli.run("search", "app", "timeout", "--within", "2%").exit(2).says("--within requires --count");
    }
}
