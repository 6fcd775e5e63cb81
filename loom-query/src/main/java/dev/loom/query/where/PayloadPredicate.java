package dev.loom.query.where;

import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * Whether a payload meets an expression. Allocates nothing and throws nothing, whatever the payload's bytes are. Keeps
 * what it has read of a payload until the next, so is for one thread.
 */
@FunctionalInterface
public interface PayloadPredicate {
    /** Tests the payload at {@code [offset, offset + length)}, which must not change meanwhile. */
    boolean test(DirectBuffer buffer, int offset, int length);

    /** The fields that were read of the payloads tested, each with whether any payload had a value there. */
    default Map<String, Boolean> fieldsSeen() {
        return Map.of();
    }
}
