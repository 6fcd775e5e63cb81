/** The HTTP API of Prometheus over one store: its paths, parameters and answers. Usable from any thread. */
@NullMarked
package dev.loom.server.prometheus;

import org.jspecify.annotations.NullMarked;
