package dev.loom.log;

import java.nio.file.Path;

/**
 * The segment files of one log: {@code <folder>/<first address, 20 digits>.seg}, each but the last with {@link
 * #segmentLength()} bytes. The offset in a file is the address minus the file's first address.
 */
public record Segments(Path folder, long segmentLength) {
    private static final String SUFFIX = ".seg";
    private static final int DIGITS = 20;

    public Segments {
        if (segmentLength <= 0 || segmentLength % PageDescriptor.PAGE_LENGTH != 0) {
            throw new IllegalArgumentException("segment length is not a multiple of a page: bytes=" + segmentLength);
        }
    }

    /** The first address of the segment that holds an address. */
    public long first(long address) {
        return address - address % segmentLength;
    }

    public Path file(long address) {
        String digits = Long.toString(first(address));
        return folder.resolve("0".repeat(DIGITS - digits.length()) + digits + SUFFIX);
    }

    /** The first address, from a file's name, or -1 if it is not a segment's name. */
    public static long firstOf(Path file) {
        String name = file.getFileName().toString();
        if (name.length() != DIGITS + SUFFIX.length() || !name.endsWith(SUFFIX)) {
            return -1;
        }
        try {
            return Long.parseLong(name.substring(0, DIGITS));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
