package dev.loom.log;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The segment files of one log: {@code <folder>/<first address, 20 digits>.seg}, each but the last with {@link
 * #segmentLength()} bytes. The offset in a file is the address minus the file's first address. Old ones may have been replaced
 * by compressed ones, with other offsets.
 *
 * @param decoders makes what reads compressed segments; null for a log that has none
 */
public record Segments(
        Path folder, long segmentLength, @Nullable Supplier<PageDecoder> decoders) {
    private static final String SUFFIX = ".seg";
    private static final String TEMPORARY_SUFFIX = ".tmp";
    private static final int DIGITS = 20;

    public Segments {
        if (segmentLength <= 0 || segmentLength % PageDescriptor.PAGE_LENGTH != 0) {
            throw new IllegalArgumentException("segment length is not a multiple of a page: bytes=" + segmentLength);
        }
    }

    /** The segment files of a log in which none is compressed. */
    public Segments(Path folder, long segmentLength) {
        this(folder, segmentLength, null);
    }

    /** The first address of the segment that holds an address. */
    public long first(long address) {
        return address - address % segmentLength;
    }

    public Path file(long address) {
        String digits = Long.toString(first(address));
        return folder.resolve("0".repeat(DIGITS - digits.length()) + digits + SUFFIX);
    }

    /**
     * Where a session makes the file that will replace a segment. No other session has the same name for it.
     *
     * @param nonce the session's
     */
    public Path temporary(long address, long nonce) {
        Path file = file(address);
        return file.resolveSibling(file.getFileName() + "." + Long.toHexString(nonce) + TEMPORARY_SUFFIX);
    }

    /** Whether a file is one that would have replaced a segment. */
    public static boolean isTemporary(Path file) {
        return file.getFileName().toString().endsWith(TEMPORARY_SUFFIX);
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
