package dev.loom.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A segment file that is cut under a reader. A fault in mapped memory would end the JVM of this test. */
final class CutSegmentTest {
    private static final long STORE_ID = 7;
    private static final int PAGES = 16;
    private static final long LENGTH = (long) PAGES * PageDescriptor.PAGE_LENGTH;
    private static final int ROUNDS = 300;

    @TempDir
    Path temp;

    private final ExecutorService threads = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    private Segments write() {
        Segments segments = new Segments(temp, LENGTH);
        try (UnsharedLog written = new UnsharedLog(LogKind.RECORD, STORE_ID, 0, Storage.DISK, segments, 0, 1 << 20)) {
            for (int page = 0; page < PAGES; page++) {
                written.log().beginPage(page, written.log().tail(), false);
                written.log().advance(1000);
                written.log().sealPage(page);
                written.evict();
            }
        }
        return segments;
    }

    @Test
    void shouldCallPagesDamagedWhenTheirFileIsCutUnderTheReader() throws Exception {
        Segments segments = write();
        byte[] whole = Files.readAllBytes(segments.file(0));
        LogView view = new LogView(LogKind.RECORD, STORE_ID, Storage.DISK, segments, Watermarks.fixed(0, LENGTH), null);
        AtomicBoolean cutting = new AtomicBoolean(true);
        Future<Long> damaged = threads.submit(() -> read(view, cutting));
        try (FileChannel file = FileChannel.open(segments.file(0), StandardOpenOption.WRITE)) {
            for (int round = 0; round < ROUNDS; round++) {
                cut(file, whole, LENGTH * (round % 3) / 3 + 5000);
            }
            // so that the reader meets it at the least once
            file.truncate(5000);
        } finally {
            cutting.set(false);
        }
        assertTrue(damaged.get(1, TimeUnit.MINUTES) > 0);
    }

    private static void cut(FileChannel file, byte[] whole, long length) throws IOException {
        file.truncate(length);
        ByteBuffer rest = ByteBuffer.wrap(whole).position((int) length);
        while (rest.hasRemaining()) {
            file.write(rest, rest.position());
        }
    }

    /** Goes through the pages over and over, once more when the cutting has ended. Returns how many were damaged. */
    private static long read(LogView view, AtomicBoolean cutting) {
        long damaged = 0;
        boolean more = true;
        try (PageReader pages = new PageReader(view)) {
            while (more) {
                more = cutting.get();
                for (long pageAddress = 0; pageAddress < LENGTH; pageAddress += PageDescriptor.PAGE_LENGTH) {
                    PageState state = pages.read(pageAddress, LENGTH);
                    damaged += state == PageState.DAMAGED ? 1 : 0;
                    assertTrue(state == PageState.DAMAGED || pages.used() == 1064);
                }
            }
            assertEquals(PageState.DAMAGED, pages.read(0, LENGTH));
        }
        return damaged;
    }
}
