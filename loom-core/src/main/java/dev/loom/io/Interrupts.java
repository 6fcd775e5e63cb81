package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.nio.channels.ClosedByInterruptException;

/** Keeps an interrupt of a caller's thread from closing files under the store. */
public final class Interrupts {
    private Interrupts() {}

    /** Whether a failure is but an interrupt of the thread, which closed the file that it was using. */
    public static boolean caused(StoreIoException failure) {
        return failure.getCause() instanceof ClosedByInterruptException;
    }

    /**
     * Runs something that opens its own files and may be run again, until it ends without an interrupt in between. The
     * interrupt is kept for the caller.
     */
    public static void defer(Runnable action) {
        boolean interrupted = Thread.interrupted();
        boolean ended = false;
        try {
            while (!ended) {
                try {
                    action.run();
                    ended = true;
                } catch (StoreIoException e) {
                    if (!caused(e)) {
                        throw e;
                    }
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
