/**
 * PromQL over samples of any origin: expressions parsed and evaluated as Prometheus 3 does it, to the last bit where that is possible. What
 * is not supported is refused with its position. Nothing here depends on a store. All types are immutable or for one thread.
 */
@NullMarked
package dev.loom.server.prometheus.promql;

import org.jspecify.annotations.NullMarked;
