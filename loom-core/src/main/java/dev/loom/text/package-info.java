/** Splits text into tokens and gives each its digest, in the same way for indexing and for searching. */
@NullMarked
package dev.loom.text;

import org.jspecify.annotations.NullMarked;
