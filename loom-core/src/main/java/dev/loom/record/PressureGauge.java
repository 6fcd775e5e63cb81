package dev.loom.record;

import dev.loom.error.StoreIoException;
import dev.loom.log.Evictor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Counts the writer's waits for the evictor, visible to readers: number of waits, their nanoseconds, and pushes refused
 * because their source was closed. Owned by the writer's thread.
 */
public final class PressureGauge {
    /** Its length in the live file, bytes. */
    public static final int LENGTH = 3 * Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int SPINS = 200;
    private static final long PARK_NS_MIN = 20_000;
    private static final long PARK_NS_MAX = 1_000_000;

    private ByteBuffer bytes;
    private final int base;

    /** A view of {@link #LENGTH} bytes from {@code base}, a multiple of 8, of a direct buffer. */
    public PressureGauge(ByteBuffer bytes, int base) {
        this.bytes = bytes;
        this.base = base;
    }

    /** Continues at the same place of another buffer with the same contents. For the writing thread. */
    public void moveTo(ByteBuffer other) {
        bytes = other;
    }

    public long waits() {
        return (long) LONG.getOpaque(bytes, base);
    }

    public long waitedNs() {
        return (long) LONG.getOpaque(bytes, base + Long.BYTES);
    }

    public long refused() {
        return (long) LONG.getOpaque(bytes, base + 2 * Long.BYTES);
    }

    void countRefused() {
        LONG.setOpaque(bytes, base + 2 * Long.BYTES, refused() + 1);
    }

    /** One step of a wait that the caller ends: presses the evictor, and sleeps. Swallows an interrupt. */
    void pause(Evictor evictor, long parkNs) {
        evictor.checkAlive();
        evictor.onPressure();
        long start = System.nanoTime();
        LockSupport.parkNanos(parkNs);
        LONG.setOpaque(bytes, base + Long.BYTES, waitedNs() + System.nanoTime() - start);
        Thread.interrupted();
    }

    void countWait() {
        LONG.setOpaque(bytes, base, waits() + 1);
    }

    /**
     * Waits for room, however long the disk fails. An interrupt does not end the wait; the interrupt status is kept.
     */
    void await(BooleanSupplier room, Evictor evictor) {
        await(room, evictor, false);
    }

    /**
     * As {@link #await}, but a failing disk ends the wait.
     *
     * @throws StoreIoException with the failure that keeps pages from being written
     */
    void awaitOrFail(BooleanSupplier room, Evictor evictor) {
        await(room, evictor, true);
    }

    private void await(BooleanSupplier room, Evictor evictor, boolean fail) {
        long start = System.nanoTime();
        boolean interrupted = false;
        long parkNs = PARK_NS_MIN;
        StoreIoException failure = null;
        long failuresBefore = evictor.writeFailures();
        for (int i = 0; failure == null && !room.getAsBoolean(); i++) {
            evictor.checkAlive();
            // the first failure may be of a write that began before this wait
            failure = fail && evictor.writeFailures() - failuresBefore >= 2 ? evictor.writeFailure() : null;
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                evictor.onPressure();
                LockSupport.parkNanos(parkNs);
                parkNs = Math.min(parkNs * 2, PARK_NS_MAX);
                interrupted |= Thread.interrupted();
            }
        }
        countWait();
        LONG.setOpaque(bytes, base + Long.BYTES, waitedNs() + System.nanoTime() - start);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw new StoreIoException(
                    "ring is full and pages can't be written to disk: " + failure.getMessage(), failure);
        }
    }
}
