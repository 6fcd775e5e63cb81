/**
 * Writes and reads payloads in place with Chronicle-Bytes: {@link dev.loom.bytes.ClaimBytes} writes a {@code
 * BytesMarshallable} into a claimed record, {@link dev.loom.bytes.PayloadBytes} reads one at a cursor's position.
 *
 * <p>Optional: this package needs {@code net.openhft:chronicle-bytes} on the class or module path, and no other part of
 * the store does. Its dependencies {@code posix}, {@code jna}, {@code jnr} and {@code chronicle-analytics} can be
 * excluded, and it needs no JVM flags. Its first use takes 0.3 to 2 seconds, starts Chronicle's own daemon thread, and
 * prints warnings about features not used here; so use it once before the first record that matters.
 *
 * <p>The views check bounds and never leave their record. They are reusable, own no off-heap memory, and each is for
 * one thread at a time.
 */
@NullMarked
package dev.loom.bytes;

import org.jspecify.annotations.NullMarked;
