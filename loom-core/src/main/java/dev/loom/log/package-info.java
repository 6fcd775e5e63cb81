/**
 * The hybrid log: an append-only log of pages whose newest bytes are in a memory-mapped ring and whose older ones are in
 * segment files. Addresses only grow. One thread writes, one evicts, any number read without a lock. Internal.
 */
@NullMarked
package dev.loom.log;

import org.jspecify.annotations.NullMarked;
