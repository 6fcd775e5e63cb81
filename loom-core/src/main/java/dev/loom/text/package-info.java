/** Text cut into tokens, for those who index it and those who search it alike. */
@NullMarked
package dev.loom.text;

import org.jspecify.annotations.NullMarked;
