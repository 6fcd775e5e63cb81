package dev.loom.filter;

import dev.loom.format.IndexedText;

/**
 * What units were built with.
 *
 * @param indexed the fields that they have
 * @param frequent the words that have counts instead of lists
 */
record UnitContents(IndexedText indexed, FrequentWords frequent) {}
