package dev.loom.cli.logtime;

/**
 * A time as a number whose number of digits gives the unit: 10 digits are seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds. So it is of
 * 2001 or later. A fraction may follow behind a point; a comma ends a column.
 */
final class EpochNumber {
    private EpochNumber() {}

    /** Where the number ends; {@link TimeForm#NONE} if it is none. */
    static int read(byte[] array, int from, int end, WrittenTime into) {
        int at = from;
        long number = 0;
        while (at < end && at - from < 19 && KnownForm.isDigit(array[at])) {
            number = number * 10 + array[at] - '0';
            at++;
        }
        long unit = switch (at - from) {
            case 10 -> 1L;
            case 13 -> 1_000L;
            case 16 -> 1_000_000L;
            case 19 -> 1_000_000_000L;
            default -> 0;
        };
        // beyond 2^63 is beyond 2262 too
        if (unit == 0 || array[from] == '0' || number < 0) {
            return TimeForm.NONE;
        }
        into.epoch = true;
        into.epochSecond = number / unit;
        int nano = (int) (number % unit * (1_000_000_000L / unit));
        if (at < end && array[at] == '.') {
            int next = KnownForm.fraction(array, at, end, into);
            nano += (int) (into.nano / unit);
            at = next;
        }
        into.nano = nano;
        return endsNumber(array, at, end) ? at : TimeForm.NONE;
    }

    /** No letter, digit or further point may follow: addresses, versions and ids are no times. */
    private static boolean endsNumber(byte[] array, int at, int end) {
        if (at >= end) {
            return true;
        }
        return switch (array[at]) {
            case ' ', '\t', ']', ')', '"', '\'', ':', ';', ',', '|' -> true;
            default -> false;
        };
    }
}
