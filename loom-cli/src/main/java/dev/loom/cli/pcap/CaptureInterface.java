package dev.loom.cli.pcap;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;

/**
 * An interface of a pcapng section.
 *
 * @param name at most {@link #NAME_LENGTH_MAX} characters; empty if it has none
 * @param snapshotLength bytes kept of each packet; 0 for all
 * @param unitsPerSecond resolution of its packets' times
 * @param offsetSeconds added to those times
 */
record CaptureInterface(int linkType, String name, long snapshotLength, long unitsPerSecond, long offsetSeconds) {
    /** A longer name is cut: no system has names this long. */
    static final int NAME_LENGTH_MAX = 255;

    private static final int SNAPSHOT_LENGTH_OFFSET = 4;
    private static final int OPTIONS_OFFSET = 8;
    private static final int OPTION_HEADER_LENGTH = 4;
    static final int END_OF_OPTIONS = 0;
    static final int NAME = 2;
    static final int TIME_RESOLUTION = 9;
    private static final int TIME_OFFSET = 14;
    private static final int BINARY_RESOLUTION = 0x80;
    private static final int EXPONENT_MAX_BINARY = 62;
    private static final int EXPONENT_MAX_DECIMAL = 18;
    private static final long MICROSECONDS = 1_000_000;
    private static final long NS_PER_SECOND = 1_000_000_000L;

    /** Reads the interface block whose body begins at {@code body}. */
    static CaptureInterface read(PacketBytes block, int body) throws CaptureException {
        int end = block.length() - Integer.BYTES;
        if (body + OPTIONS_OFFSET > end) {
            throw new CaptureException("interface block is too short: length=" + block.length());
        }
        String name = "";
        long unitsPerSecond = MICROSECONDS;
        long offsetSeconds = 0;
        int at = body + OPTIONS_OFFSET;
        while (at + OPTION_HEADER_LENGTH <= end) {
            int code = block.shortAt(at);
            int length = block.shortAt(at + Short.BYTES);
            int value = at + OPTION_HEADER_LENGTH;
            if (code == END_OF_OPTIONS || value + length > end) {
                break;
            } else if (code == NAME) {
                name = name(block, value, length);
            } else if (code == TIME_RESOLUTION && length >= 1) {
                unitsPerSecond = unitsPerSecond(block.byteAt(value));
            } else if (code == TIME_OFFSET && length >= Long.BYTES) {
                offsetSeconds = block.longAt(value);
            }
            at = value + (length + 3) / 4 * 4;
        }
        return new CaptureInterface(
                block.shortAt(body),
                name,
                block.unsignedIntAt(body + SNAPSHOT_LENGTH_OFFSET),
                unitsPerSecond,
                offsetSeconds);
    }

    /** A name; some writers end it with zeros. */
    private static String name(PacketBytes block, int offset, int length) {
        String text = new String(block.array(), block.arrayOffset() + offset, length, StandardCharsets.UTF_8);
        int zero = text.indexOf('\0');
        int end = Math.min(zero < 0 ? text.length() : zero, NAME_LENGTH_MAX);
        return text.substring(0, end);
    }

    private static long unitsPerSecond(int resolution) throws CaptureException {
        int exponent = resolution & ~BINARY_RESOLUTION;
        boolean binary = (resolution & BINARY_RESOLUTION) != 0;
        if (exponent > (binary ? EXPONENT_MAX_BINARY : EXPONENT_MAX_DECIMAL)) {
            throw new CaptureException("interface has a bad time resolution: if_tsresol=" + resolution);
        }
        return binary ? 1L << exponent : BigInteger.TEN.pow(exponent).longValueExact();
    }

    /**
     * A packet's time in epoch nanoseconds; {@link Capture#NO_TIME} if they can't hold it. Plain nanoseconds are taken as they are, as times
     * before 1970 are written so: a file's have no sign.
     */
    long timeNs(long units) {
        if (unitsPerSecond == NS_PER_SECOND && offsetSeconds == 0) {
            return units;
        }
        long seconds = Long.divideUnsigned(units, unitsPerSecond);
        long rest = Long.remainderUnsigned(units, unitsPerSecond);
        // for nanoseconds or coarser units the product fits in a long
        long fractionNs = unitsPerSecond <= NS_PER_SECOND
                ? rest * NS_PER_SECOND / unitsPerSecond
                : BigInteger.valueOf(rest)
                        .multiply(BigInteger.valueOf(NS_PER_SECOND))
                        .divide(BigInteger.valueOf(unitsPerSecond))
                        .longValue();
        try {
            return Math.addExact(Math.multiplyExact(Math.addExact(seconds, offsetSeconds), NS_PER_SECOND), fractionNs);
        } catch (ArithmeticException e) {
            return Capture.NO_TIME;
        }
    }
}
