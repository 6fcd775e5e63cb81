package dev.loom.format;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * A dotted path, {@code a.0.b}: the members and elements from a value to one within it. Segments are numbered from 0; a
 * member's name may span several. Immutable.
 */
final class JsonPath {
    private final byte[] utf8;
    private final int[] ends;
    private final int[] elements;

    JsonPath(String text) {
        utf8 = text.getBytes(StandardCharsets.UTF_8);
        String[] segments = text.isEmpty() ? new String[0] : text.split("\\.", -1);
        ends = new int[segments.length];
        elements = new int[segments.length];
        int end = -1;
        for (int i = 0; i < segments.length; i++) {
            end += 1 + segments[i].getBytes(StandardCharsets.UTF_8).length;
            ends[i] = end;
            elements[i] = element(segments[i]);
        }
    }

    int segmentCount() {
        return ends.length;
    }

    /** The array index that a segment denotes, or -1. */
    int element(int segment) {
        return elements[segment];
    }

    /** The segment after the name if the path continues with exactly this name at {@code segment}; else -1. */
    int match(int segment, DirectBuffer buffer, int offset, int length) {
        int start = segment == 0 ? 0 : ends[segment - 1] + 1;
        for (int next = segment; next < ends.length; next++) {
            if (ends[next] - start >= length) {
                return ends[next] - start == length && equal(start, buffer, offset, length) ? next + 1 : -1;
            }
        }
        return -1;
    }

    private boolean equal(int start, DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (utf8[start + i] != buffer.getByte(offset + i)) {
                return false;
            }
        }
        return true;
    }

    private static int element(String segment) {
        if (segment.isEmpty() || segment.length() > 9 || (segment.length() > 1 && segment.charAt(0) == '0')) {
            return -1;
        }
        for (int i = 0; i < segment.length(); i++) {
            if (segment.charAt(i) < '0' || segment.charAt(i) > '9') {
                return -1;
            }
        }
        return Integer.parseInt(segment);
    }
}
