/** The schema of sources and indexes, kept in {@code schema.log}, a file of checksummed entries. Internal. */
@NullMarked
package dev.loom.schema;

import org.jspecify.annotations.NullMarked;
