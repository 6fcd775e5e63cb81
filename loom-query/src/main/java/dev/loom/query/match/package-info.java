/** Matches texts against text queries, token by token. */
@NullMarked
package dev.loom.query.match;

import org.jspecify.annotations.NullMarked;
