package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.LoomException;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The live file of a killed writer with each watermark in turn at values that it can't have. */
final class LiveWatermarksTest {
    private static final int WATERMARKS_OFFSET = 256;
    private static final int COVERED_OFFSET = 24;
    private static final int[] OFFSETS = {0, 8, 16, COVERED_OFFSET, 128, 136, 144, 152, 160, 168, 176};
    private static final long PAGE = PageDescriptor.PAGE_LENGTH;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private StoreImage image;
    private Path live;

    @BeforeEach
    void kill() throws Exception {
        Path store = temp.resolve("store");
        HaltingProcess.run(HostileWriter.class, store.toString(), "killed");
        image = StoreImage.of(store);
        live = image.files("live").get(0);
    }

    @Test
    void shouldEndWhateverAWatermarkSays() {
        for (LogKind kind : LogKind.values()) {
            for (int offset : OFFSETS) {
                long now = get(kind, offset);
                for (long value : new long[] {
                    0, -1, -PAGE, now - 1, now + 1, now - PAGE, now + PAGE, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE
                }) {
                    put(kind, offset, value);
                    String what = "kind=" + kind + ", offset=" + offset + ", now=" + now + ", value=" + value;
                    assertTimeoutPreemptively(LIMIT, this::read, what);
                }
                put(kind, offset, now);
            }
        }
    }

    @Test
    void shouldNotTrustALiveFileWhoseDirectoriesAreCoveredOutsideTheIndex() {
        Watermarks times = times();
        assertTrue(read().contains("state=DEAD"));
        for (long covered : new long[] {times.beginAcquire(), times.tailAcquire()}) {
            put(LogKind.TIME, COVERED_OFFSET, covered);
            assertTrue(read().contains("state=DEAD"));
        }
        for (long covered : new long[] {times.beginAcquire() - 1, times.tailAcquire() + 1}) {
            put(LogKind.TIME, COVERED_OFFSET, covered);
            assertTrue(read().contains("state=UNRECOVERED"), "covered=" + covered);
        }
    }

    private String read() {
        try {
            return new StoreExercise(image.store()).read();
        } catch (LoomException e) {
            return e.toString();
        }
    }

    private Watermarks times() {
        ByteBuffer direct = ByteBuffer.allocateDirect(Watermarks.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        direct.put(0, image.content(live), base(LogKind.TIME), Watermarks.LENGTH);
        return new Watermarks(direct, 0);
    }

    private static int base(LogKind kind) {
        return WATERMARKS_OFFSET + kind.index() * Watermarks.LENGTH;
    }

    private long get(LogKind kind, int offset) {
        return bytes(image.content(live)).getLong(base(kind) + offset);
    }

    private void put(LogKind kind, int offset, long value) {
        byte[] changed = image.content(live).clone();
        bytes(changed).putLong(base(kind) + offset, value);
        image.put(Map.of(live, changed));
    }

    private static ByteBuffer bytes(byte[] content) {
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    }
}
