/** The page in a real browser. For one thread. */
@NullMarked
package dev.loom.bench.page;

import org.jspecify.annotations.NullMarked;
