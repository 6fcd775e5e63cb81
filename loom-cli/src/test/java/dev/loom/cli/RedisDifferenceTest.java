package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code diff} finds in the capture of a Redis server that a command of another connection made sleep, against counts of the file's
 * rows. {@code -Dloom.data} takes the whole capture in place of the slice.
 */
final class RedisDifferenceTest {
    private static final long SLOW_NS = 10_000_000;

    /** clock_nanosleep */
    private static final long SLEEP = 230;

    @TempDir
    Path directory;

    private Cli importing(String name) {
        Cli cli = Cli.on(directory);
        String[] arguments = name.endsWith(".pcap")
                ? new String[] {
                    "import",
                    "--source",
                    "s",
                    "--format",
                    "pcap",
                    RedisCapture.file(name).toString()
                }
                : new String[] {
                    "import",
                    "--source",
                    "s",
                    "--format",
                    "csv",
                    "--event-time",
                    "ts_ns",
                    "--clock-pair",
                    RedisCapture.file("clock.json").toString(),
                    RedisCapture.file(name).toString()
                };
        cli.run(arguments).ok();
        return cli;
    }

    @Test
    void shouldFindTheSystemCallThatSlept() {
        List<long[]> calls = new String(RedisCapture.bytes("syscalls.csv"), StandardCharsets.UTF_8)
                .lines()
                .skip(1)
                .map(line -> List.of(line.split(",")).stream()
                        .mapToLong(Long::parseLong)
                        .toArray())
                .toList();
        Predicate<long[]> slow = call -> call[3] > SLOW_NS;
        Predicate<long[]> sleeps = call -> call[2] == SLEEP;
        String expected = "\"selected\":" + count(calls, slow.and(sleeps)) + ",\"selected_of\":" + count(calls, slow)
                + ",\"against\":" + count(calls, slow.negate().and(sleeps)) + ",\"against_of\":"
                + count(calls, slow.negate()) + ',';
        List<String> found = importing("syscalls.csv")
                .run("diff", "s", "--where", "latency_ns > 10ms")
                .ok()
                .lines();
        assertTrue(
                found.stream().anyMatch(line -> line.startsWith("{\"field\":\"syscall\",\"value\":230," + expected)),
                () -> expected + found);
    }

    private static long count(List<long[]> calls, Predicate<long[]> condition) {
        return calls.stream().filter(condition).count();
    }

    /** While the server slept, only the connection that had sent the command was heard of: by acknowledgements, without a payload. */
    @Test
    void shouldFindWhatWasOnTheWireMeanwhile() {
        Cli cli = importing("packets.pcap");
        String from = "2026-11-21T02:46:36.3995Z";
        String to = "2026-11-21T02:46:36.4401Z";
        List<String> found = cli.run(
                        "diff", "s", "--time", "event", "--selected-from", from, "--selected-to", to, "-n", "100")
                .ok()
                .lines();
        long meanwhile = cli.run("scan", "s", "--time", "event", "--from", from, "--to", to)
                .ok()
                .lines()
                .size();
        long all = cli.run("scan", "s").ok().lines().size();
        assertEquals(7, meanwhile);
        assertTrue(
                found.stream().anyMatch(line -> line.contains("{\"field\":\"payload_len\",\"value\":0")),
                found::toString);
        found.forEach(line -> assertTrue(
                line.contains("\"selected_of\":" + meanwhile + ',')
                        && line.contains("\"against_of\":" + (all - meanwhile) + ','),
                line));
    }
}
