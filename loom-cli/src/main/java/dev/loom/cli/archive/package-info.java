/**
 * Archives: sources, indexes and records of a store in one file, compressed and checksummed, from which another store can be
 * filled. {@link dev.loom.cli.archive.ArchiveDescriptor} has the layout.
 *
 * <p>Both ends stream: an archive is written and read once, from the beginning to the end, in constant memory. What a reader is
 * given is not trusted. Everything here is for one thread.
 */
@NullMarked
package dev.loom.cli.archive;

import org.jspecify.annotations.NullMarked;
