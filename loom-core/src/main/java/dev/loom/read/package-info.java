/**
 * Reads the logs of a snapshot: the chunks of a source, their records, and what indexes hold of them. For those who write
 * queries of their own, as the operators of the query module are written; {@link dev.loom.api.Snapshot#newestFirst} and
 * {@link dev.loom.api.Snapshot#oldestFirst} are enough to read records alone.
 *
 * <p>A {@link dev.loom.read.SnapshotReader} holds a lease of its snapshot. It, and all that it hands out, is for one
 * thread, and is closed before the reader itself. Walks take no lock, write nothing, and allocate nothing per record.
 */
@NullMarked
package dev.loom.read;

import org.jspecify.annotations.NullMarked;
