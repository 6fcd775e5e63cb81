/**
 * The servers: OTLP over gRPC and HTTP, and the protection of servers and of others on the same machine.
 *
 * <p>Priorities, in this order: no outsider can make memory grow; no thread waits for a client; bad clients don't keep good
 * ones from being served. The bytes of a request go from the socket's buffer into a region of the {@link
 * dev.loom.otlp.server.InFlightBudget}; a thread takes the request only once it is complete.
 */
@NullMarked
package dev.loom.otlp.server;

import org.jspecify.annotations.NullMarked;
