package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/** Collects the values that a path reaches through the elements of arrays, as a JSON array. Reused; for one thread. */
final class JsonMatches {
    private final ExpandableArrayBuffer text = new ExpandableArrayBuffer(64);
    private boolean collecting;
    private int length;

    /** Begins an array. */
    void begin() {
        collecting = true;
        text.putByte(0, (byte) '[');
        length = 1;
    }

    /** Ends the array and sets it as the value, unless it is empty. */
    void end(FieldValue into) {
        if (length == 1) {
            collecting = false;
            into.setAbsent();
            return;
        }
        text.putByte(length++, (byte) ']');
        collecting = false;
        MutableDirectBuffer kept = into.scratch(length); // another array may begin before this one is used
        kept.putBytes(0, text, 0, length);
        into.setBytes(FieldValue.Kind.JSON, kept, 0, length);
    }

    /** Ends the array without setting a value. */
    void clear() {
        collecting = false;
    }

    boolean collecting() {
        return collecting;
    }

    /** Adds a value's text. */
    void add(DirectBuffer buffer, int offset, int valueLength) {
        if (length > 1) {
            text.putByte(length++, (byte) ',');
        }
        text.putBytes(length, buffer, offset, valueLength);
        length += valueLength;
    }

    int length() {
        return length;
    }

    /** Removes the values added between two lengths. */
    void remove(int from, int to) {
        if (collecting && to > from && from > 0) {
            int after = length - to;
            int begin = from;
            int rest = to;
            if (from == 1 && after > 0) {
                rest++; // the comma before the value that is now first
                after--;
            }
            text.putBytes(begin, text, rest, after);
            length = begin + after;
        }
    }
}
