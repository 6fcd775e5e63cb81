package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** Compares what {@code scan --asc -o json} printed with the capture: fields, order, addresses, times. */
final class RedisReading {
    private RedisReading() {}

    static String fields(String line) {
        return line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1);
    }

    static void requireAll(RedisOracle oracle, List<String> lines) {
        requirePrefix(oracle, lines);
        assertEquals(oracle.records().size(), lines.size());
    }

    /** Requires that the lines are the first records of the capture, each once and in order. */
    static void requirePrefix(RedisOracle oracle, List<String> lines) {
        assertTrue(lines.size() <= oracle.records().size(), () -> "records=" + lines.size());
        long address = -1;
        long timeNs = Long.MIN_VALUE;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            assertEquals(oracle.records().get(i), fields(line));
            long lineTimeNs = number(line, "\"ts\":");
            long lineAddress = number(line, "\"addr\":");
            assertTrue(lineAddress > address && lineTimeNs >= timeNs, line);
            address = lineAddress;
            timeNs = lineTimeNs;
        }
    }

    private static long number(String line, String key) {
        int from = line.indexOf(key) + key.length();
        return Long.parseLong(line.substring(from, line.indexOf(',', from)));
    }
}
