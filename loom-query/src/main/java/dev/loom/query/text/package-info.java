/** Text queries: words, phrases and prefixes that a record's text must contain. */
@NullMarked
package dev.loom.query.text;

import org.jspecify.annotations.NullMarked;
