package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.api.PushStatus;
import dev.loom.cli.console.Console;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;

/**
 * Writes to a store, and waits while it has no room, until a second after the command is interrupted. Tells once why the disk takes nothing. For
 * the store's writer thread.
 */
final class WaitingWriter {
    private static final long PARK_NS = 200_000;
    private static final int ASK_EVERY = 1 << 10;

    /** How long all waits after an interruption may take. */
    private static final long GRACE_NS = 1_000_000_000L;

    private final Loom loom;
    private final Console console;
    private boolean told;
    private boolean interrupted;
    private long interruptedNs;

    WaitingWriter(Loom loom, Console console) {
        this.loom = loom;
        this.console = console;
    }

    Loom loom() {
        return loom;
    }

    /** As {@link Loom#push}; {@link PushStatus#BACK_PRESSURED} if interrupted. */
    long push(int sourceId, DirectBuffer payload, int offset, int length) {
        return await(() -> loom.offer(sourceId, payload, offset, length));
    }

    /** As {@link Loom#claim}; {@link PushStatus#BACK_PRESSURED} if interrupted. */
    long claim(int sourceId, int length) {
        return await(() -> loom.tryClaim(sourceId, length));
    }

    /** As {@link Loom#pushBatch}, from the buffer's begin; takes fewer records if interrupted. */
    int pushBatch(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
        int taken = 0;
        int offset = 0;
        while (taken < count) {
            int at = offset;
            int[] left = taken == 0 ? lengths : Arrays.copyOfRange(lengths, taken, count);
            int leftCount = count - taken;
            int status = (int) await(() -> loom.offerBatch(sourceId, payloads, at, left, leftCount));
            if (status < 0) {
                break;
            }
            for (int i = 0; i < status; i++) {
                offset += left[i];
            }
            taken += status;
        }
        return taken;
    }

    private long await(LongSupplier attempt) {
        long status = attempt.getAsLong();
        for (int waits = 1; status == PushStatus.BACK_PRESSURED && mayWait(); waits++) {
            if (waits % ASK_EVERY == 0 && !told) {
                loom.info().failure().ifPresent(this::tell);
            }
            LockSupport.parkNanos(PARK_NS);
            status = attempt.getAsLong();
        }
        return status;
    }

    /** After an interruption a little, as a ring that is full for a moment must not lose what has been read. */
    private boolean mayWait() {
        if (!console.interruption().requested()) {
            return true;
        }
        long nowNs = System.nanoTime();
        if (!interrupted) {
            interrupted = true;
            interruptedNs = nowNs;
        }
        return nowNs - interruptedNs < GRACE_NS;
    }

    private void tell(String failure) {
        told = true;
        console.warn("waiting for the disk, which takes nothing: " + failure);
    }
}
