package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How long the client of a call waits for the answer: the header {@code grpc-timeout}, 1 to 8 digits and a unit. */
final class CallTimeout {
    static final String HEADER = "grpc-timeout";
    static final long NONE = Long.MAX_VALUE;

    private static final int DIGITS_MAX = 8;
    private static final int SHOWN_MAX = 32;

    private CallTimeout() {}

    /**
     * Parses the header.
     *
     * @return nanoseconds; {@link #NONE} if there is no header
     * @throws RefusalException if it is malformed
     */
    static long parseNs(@Nullable String header) throws RefusalException {
        if (header == null) {
            return NONE;
        }
        int digits = header.length() - 1;
        TimeUnit unit = digits < 1 || digits > DIGITS_MAX ? null : unit(header.charAt(digits));
        if (unit == null || !header.chars().limit(digits).allMatch(c -> c >= '0' && c <= '9')) {
            String shown = header.length() <= SHOWN_MAX ? header : header.substring(0, SHOWN_MAX) + "...";
            throw new RefusalException(Reason.MALFORMED, "malformed timeout: " + HEADER + "=" + shown);
        }
        return unit.toNanos(Long.parseLong(header.substring(0, digits)));
    }

    private static @Nullable TimeUnit unit(char letter) {
        return switch (letter) {
            case 'H' -> TimeUnit.HOURS;
            case 'M' -> TimeUnit.MINUTES;
            case 'S' -> TimeUnit.SECONDS;
            case 'm' -> TimeUnit.MILLISECONDS;
            case 'u' -> TimeUnit.MICROSECONDS;
            case 'n' -> TimeUnit.NANOSECONDS;
            default -> null;
        };
    }
}
