package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/** The values that a path leads to through the elements of arrays, collected as a JSON array. Reused; for one thread. */
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

    /** Ends the array: it is the value, but where nothing was added. */
    void end(FieldValue into) {
        if (length == 1) {
            collecting = false;
            into.setAbsent();
            return;
        }
        text.putByte(length++, (byte) ']');
        collecting = false;
        MutableDirectBuffer kept = into.scratch(length); // as another array may be begun before this is the answer
        kept.putBytes(0, text, 0, length);
        into.setBytes(FieldValue.Kind.JSON, kept, 0, length);
    }

    /** Ends it without a value. */
    void clear() {
        collecting = false;
    }

    boolean collecting() {
        return collecting;
    }

    /** Adds the text of a value. */
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

    /** Removes what was added between two lengths. */
    void remove(int from, int to) {
        if (collecting && to > from && from > 0) {
            int after = length - to;
            int begin = from;
            int rest = to;
            if (from == 1 && after > 0) {
                rest++; // the comma before what is first from now on
                after--;
            }
            text.putBytes(begin, text, rest, after);
            length = begin + after;
        }
    }
}
