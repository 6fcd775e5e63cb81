/**
 * Payloads written and read in place by Chronicle-Bytes: {@link dev.loom.bytes.ClaimBytes} writes a {@code
 * BytesMarshallable} into a claimed record, {@link dev.loom.bytes.PayloadBytes} reads one where a cursor stands.
 *
 * <p>Optional: it needs {@code net.openhft:chronicle-bytes} on the class or module path, and no other part of the store
 * does. {@code posix}, {@code jna}, {@code jnr} and {@code chronicle-analytics} can be excluded from it, and no flags of
 * the virtual machine are needed. Its first use takes 0.3 to 2 seconds, starts Chronicle's own daemon thread and prints
 * warnings about features that are not used here; so use it once before the first record that matters.
 *
 * <p>The views are bounds-checked: neither leaves its record. They are reused, hold nothing off the heap, and each is for
 * one thread at a time.
 */
@NullMarked
package dev.loom.bytes;

import org.jspecify.annotations.NullMarked;
