/** Compares two JMH results, with intervals. */
@NullMarked
package dev.loom.bench.compare;

import org.jspecify.annotations.NullMarked;
