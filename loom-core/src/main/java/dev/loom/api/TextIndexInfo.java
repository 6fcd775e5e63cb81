package dev.loom.api;

import dev.loom.format.IndexedText;

/**
 * How far the text index of a source has come, in a snapshot. Searches read what is not indexed. Files that can't be read count as
 * none.
 *
 * @param fields what is indexed from now on
 * @param rowUnits units in files of their own
 * @param columnUnits units in files with others, side by side
 * @param bytes the length of all these files
 * @param records the records that their units describe
 * @param words the distinct words and values of each unit, added up, except the few that its filters mistake for others
 * @param indexedTo records at or above this address are not indexed; below it some may not be
 * @param recordsLeft the records at or above that address
 * @param bytesLeft their payload bytes
 */
public record TextIndexInfo(
        IndexedText fields,
        int rowUnits,
        int columnUnits,
        long bytes,
        long records,
        long words,
        long indexedTo,
        long recordsLeft,
        long bytesLeft) {}
