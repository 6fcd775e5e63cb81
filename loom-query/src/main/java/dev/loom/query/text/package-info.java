/**
 * Queries for text: what a record's text has to have, in words, phrases and beginnings of words.
 */
@NullMarked
package dev.loom.query.text;

import org.jspecify.annotations.NullMarked;
