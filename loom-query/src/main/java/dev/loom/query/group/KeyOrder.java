package dev.loom.query.group;

import dev.loom.value.KeyEncoder;
import org.agrona.DirectBuffer;

/** The order of keys: value by value, missing ones first, then booleans, numbers, texts, bytes and JSON. Numbers compare exactly. */
final class KeyOrder {
    private KeyOrder() {}

    /** Compares keys of some values each. */
    static int compare(DirectBuffer left, int leftOffset, DirectBuffer right, int rightOffset, int values) {
        int leftAt = leftOffset;
        int rightAt = rightOffset;
        for (int i = 0; i < values; i++) {
            int order = compareValues(left, leftAt, right, rightAt);
            if (order != 0) {
                return order;
            }
            leftAt += KeyEncoder.length(left, leftAt);
            rightAt += KeyEncoder.length(right, rightAt);
        }
        return 0;
    }

    private static int compareValues(DirectBuffer left, int leftAt, DirectBuffer right, int rightAt) {
        byte kind = left.getByte(leftAt);
        byte other = right.getByte(rightAt);
        int byClass = Integer.compare(classOf(kind), classOf(other));
        if (byClass != 0) {
            return byClass;
        } else if (KeyEncoder.isNumber(kind)) {
            return compareNumbers(kind, left.getLong(leftAt + 1), other, right.getLong(rightAt + 1));
        } else if (KeyEncoder.hasBytes(kind)) {
            return compareBytes(left, leftAt + 1, right, rightAt + 1);
        }
        return Byte.compare(kind, other);
    }

    private static int classOf(byte kind) {
        if (kind == KeyEncoder.ABSENT) {
            return 0;
        } else if (KeyEncoder.isNumber(kind)) {
            return 2;
        }
        return KeyEncoder.hasBytes(kind) ? kind : 1;
    }

    private static int compareNumbers(byte kind, long bits, byte otherKind, long otherBits) {
        if (kind == KeyEncoder.DOUBLE && otherKind == KeyEncoder.DOUBLE) {
            return Double.compare(Double.longBitsToDouble(bits), Double.longBitsToDouble(otherBits));
        } else if (kind == KeyEncoder.DOUBLE) {
            return -compareWithDouble(otherKind, otherBits, Double.longBitsToDouble(bits));
        } else if (otherKind == KeyEncoder.DOUBLE) {
            return compareWithDouble(kind, bits, Double.longBitsToDouble(otherBits));
        }
        return kind == otherKind ? Long.compareUnsigned(bits ^ sign(kind), otherBits ^ sign(kind)) : kind - otherKind;
    }

    private static long sign(byte kind) {
        return kind == KeyEncoder.INTEGER ? Long.MIN_VALUE : 0;
    }

    /** Compares an integer with a double that is no such integer: it has a fraction, or lies beyond all, or is NaN. */
    private static int compareWithDouble(byte kind, long bits, double number) {
        if (kind == KeyEncoder.UNSIGNED) {
            return number >= 0x1p64 || Double.isNaN(number) ? -1 : 1;
        } else if (number >= 0x1p63 || Double.isNaN(number)) {
            return -1;
        }
        return number < -0x1p63 || bits > (long) Math.floor(number) ? 1 : -1;
    }

    private static int compareBytes(DirectBuffer left, int leftAt, DirectBuffer right, int rightAt) {
        int leftLength = left.getInt(leftAt);
        int rightLength = right.getInt(rightAt);
        for (int i = 0; i < Math.min(leftLength, rightLength); i++) {
            int order = Byte.compareUnsigned(
                    left.getByte(leftAt + Integer.BYTES + i), right.getByte(rightAt + Integer.BYTES + i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(leftLength, rightLength);
    }
}
