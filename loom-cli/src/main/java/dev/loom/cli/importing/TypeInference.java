package dev.loom.cli.importing;

import dev.loom.cli.input.CellNumber;
import dev.loom.format.Field;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/**
 * Infers a column's type from a sample of its cells: the narrowest of i64, u64, f64 and bool that holds all of them, else utf8.
 * The type is also utf8 if all cells are empty, or a number's leading zeros or plus, or last digits would be lost, as those of epoch
 * seconds with nanoseconds.
 */
final class TypeInference {
    /** Every integer of up to this number of digits is a double. */
    private static final int EXACT_DIGITS = 15;
    /** With this number of digits, no two doubles are printed alike. */
    private static final int DOUBLE_DIGITS = 17;

    private static final int PLACES_MAX = 9;
    /** Longer ones are no times. */
    private static final int LENGTH_MAX = 32;

    private final CellNumber number = new CellNumber();
    private boolean seen;
    private boolean signed = true;
    private boolean unsigned = true;
    private boolean decimal = true;
    private boolean negative;
    private boolean aboveSigned;
    private boolean digits;
    private boolean rounded;
    private boolean bool = true;

    void add(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        seen = true;
        boolean changes = plus(bytes, offset, length) || zeroPadded(bytes, offset, length);
        boolean fitsSigned = !changes && number.parseLong(bytes, offset, length);
        boolean fitsUnsigned = !changes && number.parseUnsigned(bytes, offset, length);
        boolean fitsNone = !fitsSigned && !fitsUnsigned && integer(bytes, offset, length);
        signed &= fitsSigned;
        unsigned &= fitsUnsigned;
        negative |= fitsSigned && !fitsUnsigned;
        aboveSigned |= fitsUnsigned && !fitsSigned;
        decimal &= !changes && !fitsNone && number.parseDouble(bytes, offset, length);
        rounded |= decimal && length > EXACT_DIGITS && rounds(bytes, offset, length);
        digits |= decimal && !Double.isNaN(number.doubleValue()) && !Double.isInfinite(number.doubleValue());
        bool &= bool(bytes, offset, length);
    }

    Field.Type type() {
        if (!seen) {
            return Field.Type.UTF8;
        } else if (signed) {
            return Field.Type.I64;
        } else if (unsigned) {
            return Field.Type.U64;
        } else if (decimal && digits && !rounded && !(negative && aboveSigned)) {
            return Field.Type.F64;
        }
        return bool ? Field.Type.BOOL : Field.Type.UTF8;
    }

    /**
     * Whether digits are lost: an integer must be the number itself, and one with up to nine places, as seconds with nanoseconds have,
     * if it has more digits than any double. More places are those of a quotient, or a double's own.
     */
    private boolean rounds(byte[] bytes, int offset, int length) {
        if (integer(bytes, offset, length)) {
            return written(bytes, offset, length).compareTo(new BigDecimal(number.doubleValue())) != 0;
        }
        int places = places(bytes, offset, length);
        if (places < 0 || places > PLACES_MAX || length > LENGTH_MAX) {
            return false;
        }
        BigDecimal written = written(bytes, offset, length).stripTrailingZeros();
        BigDecimal parsed = new BigDecimal(number.doubleValue()).setScale(places, RoundingMode.HALF_EVEN);
        return written.precision() > DOUBLE_DIGITS && written.compareTo(parsed) != 0;
    }

    private static BigDecimal written(byte[] bytes, int offset, int length) {
        return new BigDecimal(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
    }

    /** The number of digits behind a point, of a number of digits and a point alone; else negative. */
    private static int places(byte[] bytes, int offset, int length) {
        int end = offset + length;
        int point = offset;
        while (point < end && bytes[point] != '.') {
            point++;
        }
        boolean plain = point < end
                && integer(bytes, offset, point - offset)
                && integer(bytes, point + 1, end - point - 1)
                && bytes[point + 1] != '-';
        return plain ? end - point - 1 : -1;
    }

    private static boolean integer(byte[] bytes, int offset, int length) {
        int at = length > 0 && bytes[offset] == '-' ? offset + 1 : offset;
        for (int i = at; i < offset + length; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return false;
            }
        }
        return at < offset + length;
    }

    /** Whether it is a number with a plus, such as that of a telephone; that of an infinity may go. */
    private static boolean plus(byte[] bytes, int offset, int length) {
        return length > 1 && bytes[offset] == '+' && bytes[offset + 1] <= '9';
    }

    private static boolean zeroPadded(byte[] bytes, int offset, int length) {
        int at = bytes[offset] == '-' || bytes[offset] == '+' ? offset + 1 : offset;
        return at + 1 < offset + length && bytes[at] == '0' && bytes[at + 1] >= '0' && bytes[at + 1] <= '9';
    }

    private static boolean bool(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
        return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
    }
}
