/**
 * The servers: OTLP over gRPC and HTTP, and what protects them and others on the same machine.
 *
 * <p>What matters, in this order: memory that nobody outside can make grow, no thread that waits for a client, a good client
 * served while a bad one is not. The bytes of a request go from the socket's buffer into a region of the {@link
 * dev.loom.otlp.server.InFlightBudget}; a thread is taken for it only once it is there as a whole.
 */
@NullMarked
package dev.loom.otlp.server;

import org.jspecify.annotations.NullMarked;
