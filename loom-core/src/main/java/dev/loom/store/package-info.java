/** The lifecycle of a store: its files, opening, recovery, live state, snapshots and closing. Internal. */
@NullMarked
package dev.loom.store;

import org.jspecify.annotations.NullMarked;
