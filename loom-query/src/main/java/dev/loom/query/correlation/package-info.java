/** Records matched with the time windows of others. */
@NullMarked
package dev.loom.query.correlation;

import org.jspecify.annotations.NullMarked;
