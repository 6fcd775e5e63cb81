/**
 * The API of Loki over any store, for Grafana and logcli: LogQL becomes requests to the query service, and their results become streams,
 * vectors and matrices. {@code docs/loki.md} says what is supported.
 */
@NullMarked
package dev.loom.server.loki;

import org.jspecify.annotations.NullMarked;
