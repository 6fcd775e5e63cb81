package dev.loom.query.series;

import dev.loom.format.FieldValue;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes the members of a JSON object in the order of their bytes, so that objects whose members differ in their order alone are
 * written alike. For one thread.
 */
final class JsonMembers {
    private static final int FEW = 16;

    private final FieldValue printed = new FieldValue();
    private int[] begins = new int[FEW];
    private int[] ends = new int[FEW];
    private int[] otherBegins = {};
    private int[] otherEnds = {};
    private int count;

    /** Appends an object; any other value as it is printed. Returns the end. */
    int put(FieldValue json, MutableDirectBuffer into, int at) {
        FieldValue text = json;
        if (!FieldValue.JsonView.isPlain(json)) {
            FieldValue.JsonView.visible(json, false, printed);
            text = printed;
        }
        DirectBuffer from = text.bytes();
        int begin = text.offset();
        int end = begin + text.length();
        if (text.length() < 2 || from.getByte(begin) != '{') {
            into.putBytes(at, from, begin, text.length());
            return at + text.length();
        }
        split(from, begin + 1, end - 1);
        sort(from);
        int to = at;
        for (int i = 0; i < count; i++) {
            int length = ends[i] - begins[i];
            into.putBytes(to, from, begins[i], length);
            into.putByte(to + length, (byte) ',');
            to += length + 1;
        }
        return to;
    }

    private void split(DirectBuffer from, int begin, int end) {
        count = 0;
        int depth = 0;
        boolean string = false;
        int start = begin;
        for (int i = begin; i < end; i++) {
            byte c = from.getByte(i);
            if (string) {
                if (c == '\\') {
                    i++;
                } else if (c == '"') {
                    string = false;
                }
            } else if (c == '"') {
                string = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            } else if (c == ',' && depth == 0) {
                add(start, i);
                start = i + 1;
            }
        }
        if (start < end) {
            add(start, end);
        }
    }

    private void add(int begin, int end) {
        if (count == begins.length) {
            begins = Arrays.copyOf(begins, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        begins[count] = begin;
        ends[count] = end;
        count++;
    }

    /** Members mostly come in one order, in which nothing has to move; merging bounds what any other order costs. */
    private void sort(DirectBuffer from) {
        boolean sorted = true;
        for (int i = 1; i < count && sorted; i++) {
            sorted = compare(from, i - 1, i) <= 0;
        }
        for (long width = 1; width < count && !sorted; width *= 2) {
            if (otherBegins.length < begins.length) {
                otherBegins = new int[begins.length];
                otherEnds = new int[ends.length];
            }
            for (long first = 0; first < count; first += 2 * width) {
                merge(from, (int) first, (int) Math.min(first + width, count), (int)
                        Math.min(first + 2 * width, count));
            }
            int[] swapped = begins;
            begins = otherBegins;
            otherBegins = swapped;
            swapped = ends;
            ends = otherEnds;
            otherEnds = swapped;
        }
    }

    private void merge(DirectBuffer from, int first, int middle, int end) {
        int left = first;
        int right = middle;
        for (int to = first; to < end; to++) {
            boolean takesLeft = left < middle && (right == end || compare(from, left, right) <= 0);
            int taken = takesLeft ? left++ : right++;
            otherBegins[to] = begins[taken];
            otherEnds[to] = ends[taken];
        }
    }

    private int compare(DirectBuffer from, int member, int other) {
        return compare(from, begins[member], ends[member], begins[other], ends[other]);
    }

    private static int compare(DirectBuffer from, int begin, int end, int otherBegin, int otherEnd) {
        int common = Math.min(end - begin, otherEnd - otherBegin);
        for (int i = 0; i < common; i++) {
            int byByte = Byte.compareUnsigned(from.getByte(begin + i), from.getByte(otherBegin + i));
            if (byByte != 0) {
                return byByte;
            }
        }
        return Integer.compare(end - begin, otherEnd - otherBegin);
    }
}
