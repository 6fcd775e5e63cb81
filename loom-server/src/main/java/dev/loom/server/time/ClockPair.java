package dev.loom.server.time;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Two readings of a machine's wall clock and monotonic clock, each taken at one moment. The line through both converts monotonic
 * times to epoch nanoseconds. Immutable.
 */
public record ClockPair(long startWallNs, long startMonotonicNs, long endWallNs, long endMonotonicNs) {
    public ClockPair {
        if (endMonotonicNs < startMonotonicNs) {
            throw new IllegalArgumentException(
                    "clock pair ends before it starts: start=" + startMonotonicNs + ", end=" + endMonotonicNs);
        }
    }

    /** This machine's clocks, read now. The JVM's {@code nanoTime} is Linux' {@code CLOCK_MONOTONIC}. */
    public static ClockPair ofThisMachine() {
        long wallNs = EpochTime.of(Instant.now());
        long monotonicNs = System.nanoTime();
        return new ClockPair(wallNs, monotonicNs, wallNs, monotonicNs);
    }

    /**
     * Reads {@code {"start":{"wall_ns":..,"monotonic_ns":..},"end":{..}}}; without {@code end} the clocks are assumed to run at
     * the same rate.
     *
     * @throws IllegalArgumentException if the file's content is invalid
     */
    public static ClockPair read(Path file) throws IOException {
        Map<String, Long> values = new HashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(Files.readString(file))) {
            String moment = "";
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.START_OBJECT && parser.currentName() != null) {
                    moment = parser.currentName();
                } else if (token == JsonToken.VALUE_NUMBER_INT) {
                    values.put(moment + '.' + parser.currentName(), parser.getLongValue());
                }
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "clock pair is not JSON: file=" + file + ": " + e.getOriginalMessage(), e);
        }
        Long startWallNs = values.get("start.wall_ns");
        Long startMonotonicNs = values.get("start.monotonic_ns");
        if (startWallNs == null || startMonotonicNs == null) {
            throw new IllegalArgumentException("clock pair lacks start.wall_ns or start.monotonic_ns: file=" + file);
        }
        return new ClockPair(
                startWallNs,
                startMonotonicNs,
                values.getOrDefault("end.wall_ns", startWallNs),
                values.getOrDefault("end.monotonic_ns", startMonotonicNs));
    }

    /** Converts a monotonic time to epoch nanoseconds. */
    public long wallNs(long monotonicNs) {
        long sinceStartNs = monotonicNs - startMonotonicNs;
        long runNs = endMonotonicNs - startMonotonicNs;
        long leadNs = endWallNs - startWallNs - runNs;
        long correctionNs = runNs == 0 ? 0 : Math.round((double) sinceStartNs * leadNs / runNs);
        return startWallNs + sinceStartNs + correctionNs;
    }

    /** The four numbers, separated by commas. */
    String text() {
        return startWallNs + "," + startMonotonicNs + "," + endWallNs + "," + endMonotonicNs;
    }

    static @Nullable ClockPair parse(@Nullable String text) {
        if (text == null) {
            return null;
        }
        String[] numbers = text.split(",", -1);
        if (numbers.length != 4) {
            throw new IllegalArgumentException("clock pair is not four numbers: " + text);
        }
        return new ClockPair(
                Long.parseLong(numbers[0]),
                Long.parseLong(numbers[1]),
                Long.parseLong(numbers[2]),
                Long.parseLong(numbers[3]));
    }
}
