/**
 * Stores of other makers behind one small interface: each takes records one after the other, as a log, and gives them back. They are
 * tuned as their own documents advise for such a load, none syncs, and none compresses. A record's key or head has 16 bytes, as one
 * of Loom's has: the time at which it arrived, and what makes it unique.
 *
 * <p>Nothing here knows what the records mean; workloads that measure it build on it.
 */
@NullMarked
package dev.loom.bench.peer;

import org.jspecify.annotations.NullMarked;
