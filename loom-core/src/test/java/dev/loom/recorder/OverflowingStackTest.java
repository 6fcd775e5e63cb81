package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.Recorder;
import dev.loom.StoreAccess;
import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.RecorderClaim;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads whose stack overflows while they record: mostly in the recorder, as that is what they call at the end of their recursion. */
final class OverflowingStackTest {
    private static final int ROUNDS = Integer.getInteger("loom.test.overflows", 150);
    private static final long STACK_LENGTH = 256 << 10;

    @TempDir
    Path temp;

    private enum Way {
        BYTES,
        BUFFER,
        BYTE_BUFFER,
        CLAIM
    }

    private static final class Recursion {
        private final IntSupplier record;
        private final AtomicLong taken;

        Recursion(IntSupplier record, AtomicLong taken) {
            this.record = record;
            this.taken = taken;
        }

        @SuppressWarnings("InfiniteRecursion")
        void run() {
            if (record.getAsInt() >= 0) {
                taken.getAndIncrement();
            }
            run();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldGoOnWhenAStackOverflowsWhileRecording(Way way) throws Exception {
        try (Recorder recorder = Recorder.on(
                        Loom.open(LoomConfig.at(temp.resolve("store")).build()))
                .start()) {
            int source = recorder.defineSource("s", Formats.bytes());
            UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
            byte[] bytes = new byte[8];
            ByteBuffer byteBuffer = ByteBuffer.allocateDirect(8);
            AtomicLong taken = new AtomicLong();
            Thread recursing = new Thread(
                    null,
                    () -> {
                        try (RecorderClaim claim = recorder.newClaim()) {
                            IntSupplier record = switch (way) {
                                case BYTES -> () -> (int) recorder.offer(source, bytes);
                                case BUFFER -> () -> (int) recorder.offer(source, payload, 0, 8);
                                case BYTE_BUFFER -> () -> (int) recorder.offer(source, byteBuffer);
                                case CLAIM -> () -> claim.claim(source, 8) < 0 ? -1 : (int) claim.commit();
                            };
                            for (int i = 0; i < ROUNDS; i++) {
                                try {
                                    new Recursion(record, taken).run();
                                } catch (StackOverflowError e) {
                                    // as a server does with a request
                                }
                            }
                        }
                    },
                    "recursing",
                    STACK_LENGTH);
            recursing.start();
            recursing.join();
            assertTrue(taken.get() > ROUNDS);
            for (int i = 0; i < 100; i++) {
                while (recorder.offer(source, bytes) < 0) {
                    Thread.onSpinWait();
                }
            }
            assertTrue(recorder.sync(Duration.ofMinutes(2)), "the recorder waits for a claim that nobody has");
        }
    }

    /** What such a thread leaves, wherever it was stopped. */
    @Test
    void shouldGiveUpRoomThatAnOverflowLeft() {
        Loom loom = StoreAccess.open(temp.resolve("store"), Storage.DISK);
        int source = loom.defineSource("s", Formats.bytes());
        RecorderSession session =
                new RecorderSession(StoreAccess.session(loom), 1 << 20, DropPolicy.refuse(), 1_000_000_000L);
        Intake intake = session.intake();
        assertEquals(0, intake.offer(source, new byte[8]));
        assertTrue(intake.claim(source, 8) >= 0);
        assertTrue(intake.claim(source, 16) >= 0);
        assertEquals(0, intake.offer(source, new byte[8]));
        intake.overflowed = true;
        assertTrue(session.sync(Duration.ofMinutes(1).toNanos()));
        assertEquals(2, session.published(source));
        assertEquals(2, session.dropped(source, LossReason.ABANDONED));
        session.close();
    }
}
