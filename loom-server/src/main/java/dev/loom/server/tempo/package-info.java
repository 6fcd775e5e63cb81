/** Tempo's query API, as Grafana's data source calls it, over spans of any source; searches in TraceQL, of one set of spans. */
@NullMarked
package dev.loom.server.tempo;

import org.jspecify.annotations.NullMarked;
