/** A store's records as series of Prometheus: points of metrics, and the fields of any records. For one thread. */
@NullMarked
package dev.loom.server.prometheus.store;

import org.jspecify.annotations.NullMarked;
