/** Commands on a whole store: its sources, state and integrity. */
@NullMarked
package dev.loom.cli.store;

import org.jspecify.annotations.NullMarked;
