/** Stress tests of what threads and processes share through memory; run by {@code java -jar target/jcstress.jar}. */
@NullMarked
package dev.loom.stress;

import org.jspecify.annotations.NullMarked;
