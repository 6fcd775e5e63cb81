package dev.loom.store;

import dev.loom.error.StoreIoException;
import java.util.function.LongSupplier;

/** A program's own clock, for threads of the store: what it throws must not end them, and is shown and tried again. */
record ProgramClock(LongSupplier asked) implements LongSupplier {
    @Override
    public long getAsLong() {
        try {
            return asked.getAsLong();
        } catch (OutOfMemoryError e) {
            throw e; // there may be none for another exception
        } catch (RuntimeException | Error e) {
            throw new StoreIoException("the store's clock failed: " + e, e);
        }
    }
}
