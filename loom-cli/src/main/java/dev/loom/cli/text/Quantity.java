package dev.loom.cli.text;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Durations and sizes as they are written on the command line. */
public final class Quantity {
    private static final Map<String, Long> NANOSECONDS = new LinkedHashMap<>();
    private static final Map<String, Long> BYTES = new LinkedHashMap<>();

    static {
        NANOSECONDS.put("ns", 1L);
        NANOSECONDS.put("us", 1_000L);
        NANOSECONDS.put("µs", 1_000L);
        NANOSECONDS.put("ms", 1_000_000L);
        NANOSECONDS.put("s", 1_000_000_000L);
        NANOSECONDS.put("m", 60_000_000_000L);
        NANOSECONDS.put("h", 3_600_000_000_000L);
        NANOSECONDS.put("d", 86_400_000_000_000L);
        BYTES.put("b", 1L);
        BYTES.put("kib", 1L << 10);
        BYTES.put("mib", 1L << 20);
        BYTES.put("gib", 1L << 30);
        BYTES.put("tib", 1L << 40);
    }

    private Quantity() {}

    /**
     * Nanoseconds of a duration such as {@code 250us}, {@code 1.5s} or {@code 1h30m}.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static long durationNs(String text) {
        int at = 0;
        long sum = 0;
        try {
            while (at < text.length()) {
                int unitAt = endOfNumber(text, at);
                int next = unitAt;
                while (next < text.length() && Character.isLetter(text.charAt(next))) {
                    next++;
                }
                Long unit = NANOSECONDS.get(text.substring(unitAt, next));
                if (unit == null) {
                    throw new NumberFormatException();
                }
                sum = Math.addExact(sum, scaled(text.substring(at, unitAt), unit));
                at = next;
            }
        } catch (ArithmeticException | NumberFormatException e) {
            at = 0;
        }
        if (at == 0) {
            throw new IllegalArgumentException("not a duration: \"" + text
                    + "\"; a number and a unit of ns, us, ms, s, m, h, d, as 250ms or 1h30m");
        }
        return sum;
    }

    /**
     * Bytes of a size such as {@code 65536}, {@code 64KiB} or {@code 1.5GiB}.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static long bytes(String text) {
        try {
            int unitAt = endOfNumber(text, 0);
            String unitText = text.substring(unitAt).toLowerCase(Locale.ROOT);
            Long unit = unitText.isEmpty() ? Long.valueOf(1) : BYTES.get(unitText);
            if (unit != null) {
                return scaled(text.substring(0, unitAt), unit);
            }
        } catch (ArithmeticException | NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException(
                "not a size: \"" + text + "\"; a number and, if need be, a unit of KiB, MiB, GiB, TiB, as 64MiB");
    }

    private static int endOfNumber(String text, int from) {
        int at = from;
        while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
            at++;
        }
        return at;
    }

    private static long scaled(String number, long unit) {
        return new BigDecimal(number)
                .multiply(BigDecimal.valueOf(unit))
                .toBigInteger()
                .longValueExact();
    }
}
