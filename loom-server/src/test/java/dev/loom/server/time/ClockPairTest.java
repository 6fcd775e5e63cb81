package dev.loom.server.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClockPairTest {
    @TempDir
    Path directory;

    @Test
    void shouldReadAFileAndConvert() throws IOException {
        ClockPair pair = read("""
                {"start": {"wall_ns": 1795229193400046130, "monotonic_ns": 2901587242959},
                 "end": {"wall_ns": 1795229199900046130, "monotonic_ns": 2908087242959}}
                """);
        assertEquals(1_795_229_193_400_046_130L, pair.wallNs(2_901_587_242_959L));
        assertEquals(1_795_229_193_400_046_129L, pair.wallNs(2_901_587_242_958L));
        assertEquals(1_795_229_199_900_046_130L, pair.wallNs(2_908_087_242_959L));
        assertEquals(pair, ClockPair.parse(pair.text()));
    }

    @Test
    void shouldFollowTheDriftBetweenTheClocks() {
        ClockPair pair = new ClockPair(1_000_000_000_000L, 0, 1_000_000_001_010L, 1_000);
        assertEquals(1_000_000_000_505L, pair.wallNs(500));
        assertEquals(1_000_000_002_020L, pair.wallNs(2_000));
        assertEquals(999_999_998_990L, pair.wallNs(-1_000));
    }

    @Test
    void shouldTakeTheClocksToRunAlikeWithoutAnEnd() throws IOException {
        assertEquals(
                107, read("{\"start\":{\"wall_ns\":100,\"monotonic_ns\":3}}").wallNs(10));
    }

    @Test
    void shouldRefuseAFileThatReadsOtherwise() {
        assertTrue(refusal("{").startsWith("clock pair is not JSON: file="));
        assertTrue(refusal("{\"start\":{\"wall_ns\":1}}").startsWith("clock pair lacks start.wall_ns"));
        assertEquals(
                "clock pair ends before it starts: start=5, end=4",
                refusal("{\"start\":{\"wall_ns\":1,\"monotonic_ns\":5},\"end\":{\"wall_ns\":1,\"monotonic_ns\":4}}"));
    }

    @Test
    void shouldPairThisMachinesClocks() {
        ClockPair pair = ClockPair.ofThisMachine();
        assertEquals(pair.startWallNs() + 5, pair.wallNs(pair.startMonotonicNs() + 5));
    }

    private String refusal(String json) {
        return assertThrows(IllegalArgumentException.class, () -> read(json)).getMessage();
    }

    private ClockPair read(String json) throws IOException {
        return ClockPair.read(Files.writeString(directory.resolve("clock.json"), json));
    }
}
