/** Counts by bin and step, from what indexes hold of chunks and from records. */
@NullMarked
package dev.loom.query.histogram;

import org.jspecify.annotations.NullMarked;
