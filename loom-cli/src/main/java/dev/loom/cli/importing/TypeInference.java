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
    /** No two doubles have the same number of so many digits. */
    private static final int DOUBLE_DIGITS = 17;

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
     * Whether digits are lost: an integer must be the number itself. Of fractions, programs print up to 17 digits of a double, or as many
     * as they are asked for, which are then its own; other digits beyond 17 were more than a double.
     */
    private boolean rounds(byte[] bytes, int offset, int length) {
        if (!Double.isFinite(number.doubleValue())) {
            return false;
        }
        BigDecimal written = new BigDecimal(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
        BigDecimal parsed = new BigDecimal(number.doubleValue());
        return integer(bytes, offset, length)
                ? written.compareTo(parsed) != 0
                : written.precision() > DOUBLE_DIGITS
                        && written.compareTo(parsed.setScale(written.scale(), RoundingMode.HALF_EVEN)) != 0;
    }

    private static boolean integer(byte[] bytes, int offset, int length) {
        int at = bytes[offset] == '-' ? offset + 1 : offset;
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
