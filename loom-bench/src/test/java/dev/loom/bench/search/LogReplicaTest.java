package dev.loom.bench.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class LogReplicaTest {
    private static final int LINES = 20_000;
    private static final int TIME_LENGTH = "2026-01-01T00:00:00.000000Z".length();

    private static List<String> lines(long seed) throws IOException {
        return ReplicaLog.lines(new LogReplica(ReplicaLog.corpus(), seed), LINES, (number, host, text) -> {});
    }

    @Test
    void shouldGiveTheSameLogWhenTheSeedIsTheSame() throws IOException {
        assertEquals(lines(7), lines(7));
        assertNotEquals(lines(7), lines(8));
    }

    @Test
    void shouldGiveEachLineAnIdAndALaterTime() throws IOException {
        final Set<String> ids = new HashSet<>();
        String before = "";
        for (String line : lines(7)) {
            assertTrue(ids.add(ReplicaLog.id(line)), line);
            final String time = line.substring(0, TIME_LENGTH);
            assertTrue(time.matches("2026-01-01T00:00:[0-9]{2}\\.[0-9]{6}Z"), time);
            assertTrue(time.compareTo(before) > 0, time + " after " + before);
            before = time;
        }
        assertEquals(LINES, ids.size());
    }

    @Test
    void shouldTellWhatALineIsMadeOf() throws IOException {
        final LogCorpus corpus = ReplicaLog.corpus();
        final LogReplica replica = new LogReplica(corpus, 7);
        final StringBuilder told = new StringBuilder();
        final List<String> lines = ReplicaLog.lines(
                replica,
                LINES,
                (number, host, text) -> told.append(replica.microsWord(number))
                        .append(" node")
                        .append(host)
                        .append(' ')
                        .append(replica.id(number))
                        .append(' ')
                        .append(corpus.all().get(text))
                        .append('\n'));
        final StringBuilder written = new StringBuilder();
        lines.forEach(line ->
                written.append(line.substring("2026-01-01T00:00:00.".length())).append('\n'));
        assertEquals(written.toString(), told.toString());
    }

    @Test
    void shouldTakeTheLinesOfALogInTheirOrder() throws IOException {
        final LogCorpus corpus = ReplicaLog.corpus();
        final int[] next = new int[2];
        ReplicaLog.lines(new LogReplica(corpus, 7), LINES, (number, host, text) -> {
            final int file = text < corpus.lines(0).size() ? 0 : 1;
            assertEquals(corpus.number(file, next[file] % corpus.lines(file).size()), text);
            next[file]++;
        });
        assertTrue(Math.min(next[0], next[1]) > LINES * 0.45, next[0] + ", " + next[1]);
    }

    @Test
    void shouldHaveAtLeastTheBytesAskedFor() throws IOException {
        final LogReplica replica = new LogReplica(ReplicaLog.corpus(), 7);
        final long bytes = 1_000_000;
        final long written = ReplicaLog.lines(replica, replica.linesOf(bytes), (number, host, text) -> {}).stream()
                .mapToLong(line -> line.length() + 1)
                .sum();
        assertTrue(written >= bytes * 0.995 && written < bytes * 1.01, "bytes=" + written);
    }
}
