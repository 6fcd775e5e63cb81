/**
 * Ways of storing a stream of records, each a {@link dev.loom.bench.push.PushTarget} with its own inner loop: the limit, Loom
 * through each of its calls, a buffered raw file, and the clock and the disk alone.
 *
 * <p>All take the same payloads in the same order from a {@link dev.loom.bench.push.PayloadPool}, and each reads back and checks
 * what it has stored. The limit shares no code with {@code loom-core}.
 */
@NullMarked
package dev.loom.bench.push;

import org.jspecify.annotations.NullMarked;
