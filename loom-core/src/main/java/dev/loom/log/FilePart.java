package dev.loom.log;

/**
 * A part of a file.
 *
 * @param length {@link #TO_END} for whatever the file has from there on
 */
public record FilePart(long from, long length) {
    public static final long TO_END = Long.MAX_VALUE;

    /** How much of it a file of a size has. */
    public long lengthIn(long size) {
        return Math.max(0, Math.min(length, size - from));
    }
}
