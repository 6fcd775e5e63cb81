package dev.loom.format;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A position in the text of one JSON value, and the steps to skip its parts. Strict about the grammar of RFC 8259,
 * except that it does not check strings for valid UTF-8. Allocates nothing, never leaves its range, and never recurses:
 * containers may nest {@link #DEPTH_MAX} deep. A step returns false if it finds something else; the scanner is then
 * unusable.
 */
final class JsonScanner {
    /** The greatest nesting depth: one bit per container in a long. */
    static final int DEPTH_MAX = 64;

    /** The value 1 in each of eight bytes. */
    private static final long EACH = 0x0101_0101_0101_0101L;

    private static final long SIGNS = 0x8080_8080_8080_8080L;

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int position;
    private int end;
    private int depth;
    private boolean escaped;

    void wrap(DirectBuffer newBuffer, int newPosition, int newEnd) {
        buffer = newBuffer;
        position = newPosition;
        end = newEnd;
        depth = 0;
    }

    DirectBuffer buffer() {
        return buffer;
    }

    int position() {
        return position;
    }

    /** Returns to the beginning of a value that has been searched. */
    void position(int newPosition, int newDepth) {
        position = newPosition;
        depth = newDepth;
    }

    /** The number of containers entered and not left. */
    int depth() {
        return depth;
    }

    /** Whether the last string skipped contains escapes. */
    boolean escaped() {
        return escaped;
    }

    /** The byte at the position, 0 to 255, or -1 at the end. */
    int peek() {
        return position < end ? buffer.getByte(position) & 0xFF : -1;
    }

    /** Skips white space, then returns the next byte as {@link #peek} does. */
    int peekToken() {
        while (position < end) {
            byte c = buffer.getByte(position);
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                return c & 0xFF;
            }
            position++;
        }
        return -1;
    }

    /** Skips one byte if it is the expected one. */
    boolean skipByte(int expected) {
        if (peek() != expected) {
            return false;
        }
        position++;
        return true;
    }

    /** Skips the bracket that begins an array or an object. */
    boolean enter() {
        position++;
        depth++;
        return depth <= DEPTH_MAX;
    }

    /** Whether the innermost container ends here; if so, skips its bracket. */
    boolean leave(int close) {
        if (peekToken() != close) {
            return false;
        }
        position++;
        depth--;
        return true;
    }

    /** Skips white space, a member's name, its colon, and white space. */
    boolean skipName() {
        if (peekToken() != '"' || !skipString()) {
            return false;
        }
        return skipColon();
    }

    /** Skips white space, a colon, and white space. */
    boolean skipColon() {
        if (peekToken() != ':') {
            return false;
        }
        position++;
        peekToken();
        return true;
    }

    /** Skips a string, from quote to quote. */
    boolean skipString() {
        escaped = false;
        position++;
        skipPlain();
        while (position < end) {
            byte c = buffer.getByte(position++);
            if (c == '"') {
                return true;
            }
            if (c == '\\') {
                escaped = true;
                if (!skipEscape()) {
                    return false;
                }
                skipPlain();
            } else if (c >= 0 && c < ' ') {
                return false;
            }
        }
        return false;
    }

    /** Skips ordinary bytes of a string, eight at a time, up to the first that may be special. */
    private void skipPlain() {
        while (end - position >= Long.BYTES) {
            long special = special(buffer.getLong(position, ByteOrder.LITTLE_ENDIAN));
            if (special != 0) {
                position += Long.numberOfTrailingZeros(special) / Byte.SIZE;
                return;
            }
            position += Long.BYTES;
        }
    }

    /**
     * Sets the sign bits of the quotes, backslashes and control characters among eight bytes; above the first one, bits
     * may be wrongly set.
     */
    private static long special(long bytes) {
        long quotes = bytes ^ (EACH * '"');
        long backslashes = bytes ^ (EACH * '\\');
        long found =
                ((quotes - EACH) & ~quotes) | ((backslashes - EACH) & ~backslashes) | ((bytes - EACH * ' ') & ~bytes);
        return found & SIGNS;
    }

    private boolean skipEscape() {
        switch (peek()) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> position++;
            case 'u' -> {
                position++;
                for (int i = 0; i < 4; i++, position++) {
                    if (Character.digit(peek(), 16) < 0) {
                        return false;
                    }
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Skips a literal name. */
    boolean skipLiteral(String literal) {
        for (int i = 0; i < literal.length(); i++) {
            if (!skipByte(literal.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** Skips a number. */
    boolean skipNumber() {
        skipByte('-');
        if (!skipByte('0') && !skipDigits()) {
            return false;
        }
        if (skipByte('.') && !skipDigits()) {
            return false;
        }
        if (skipByte('e') || skipByte('E')) {
            if (!skipByte('+')) {
                skipByte('-');
            }
            return skipDigits();
        }
        return true;
    }

    private boolean skipDigits() {
        int start = position;
        while (position < end) {
            byte c = buffer.getByte(position);
            if (c < '0' || c > '9') {
                break;
            }
            position++;
        }
        return position > start;
    }

    private boolean skipScalar() {
        return switch (peekToken()) {
            case '"' -> skipString();
            case 't' -> skipLiteral("true");
            case 'f' -> skipLiteral("false");
            case 'n' -> skipLiteral("null");
            default -> skipNumber();
        };
    }

    /** Skips white space and any value. */
    boolean skipValue() {
        int depthBefore = depth;
        long objects = 0; // bit d-1: whether the container at depth d is an object
        do {
            int c = peekToken();
            if (c == '{' || c == '[') {
                if (!enter()) {
                    return false;
                }
                boolean object = c == '{';
                long bit = 1L << (depth - 1);
                objects = object ? objects | bit : objects & ~bit;
                if (!leave(object ? '}' : ']')) {
                    if (object && !skipName()) {
                        return false;
                    }
                    continue;
                }
            } else if (!skipScalar()) {
                return false;
            }
            if (!skipToNextValue(depthBefore, objects)) {
                return false;
            }
        } while (depth > depthBefore);
        return true;
    }

    /** After a value: leaves the containers that end, then skips the comma, and the name, before the next value. */
    private boolean skipToNextValue(int depthBefore, long objects) {
        while (depth > depthBefore) {
            boolean object = (objects >>> (depth - 1) & 1) != 0;
            if (!leave(object ? '}' : ']')) {
                return skipByte(',') && (!object || skipName());
            }
        }
        return true;
    }
}
