package dev.loom.query.where;

import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * Tests whether a payload meets an expression. Allocates nothing and never throws, whatever the bytes of the payload. Caches
 * what it read of a payload until the next one, so it is for one thread.
 */
@FunctionalInterface
public interface PayloadPredicate {
    /** Tests the payload at {@code [offset, offset + length)}, which must not change during the call. */
    boolean test(DirectBuffer buffer, int offset, int length);

    /** The fields read so far, each with whether any payload had a value in it. */
    default Map<String, Boolean> fieldsSeen() {
        return Map.of();
    }
}
