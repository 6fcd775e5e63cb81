package dev.loom.query.where;

import org.agrona.DirectBuffer;

/**
 * Whether a payload meets an expression. Allocates nothing and throws nothing, whatever the payload's bytes are. Keeps
 * what it has read of a payload until the next, so is for one thread.
 */
@FunctionalInterface
public interface PayloadPredicate {
    /** Tests the payload at {@code [offset, offset + length)}, which must not change meanwhile. */
    boolean test(DirectBuffer buffer, int offset, int length);
}
