/** Jaeger's query API, as its user interface and Grafana's data source call it, over spans of any source. */
@NullMarked
package dev.loom.server.jaeger;

import org.jspecify.annotations.NullMarked;
