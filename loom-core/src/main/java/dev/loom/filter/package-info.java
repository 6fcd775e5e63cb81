/** Filters that say which units of a source's records may contain a token (ESTELLE, section 3). */
@NullMarked
package dev.loom.filter;

import org.jspecify.annotations.NullMarked;
