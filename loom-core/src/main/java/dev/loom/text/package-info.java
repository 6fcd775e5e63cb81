/** Splits text into tokens, in the same way for indexing and for searching. */
@NullMarked
package dev.loom.query.token;

import org.jspecify.annotations.NullMarked;
