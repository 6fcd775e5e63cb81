/** Commands about a store as a whole: its sources, its state, its soundness. */
@NullMarked
package dev.loom.cli.store;

import org.jspecify.annotations.NullMarked;
