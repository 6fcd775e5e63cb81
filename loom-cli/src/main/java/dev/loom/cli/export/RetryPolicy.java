package dev.loom.cli.export;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * When to try a request again: after a delay that doubles each time, by chance shortened by up to half, so that many clients do
 * not come at once; never before the receiver asks for it.
 *
 * @param first the first delay
 * @param longest the longest delay that the receiver does not ask for
 * @param total how long after the first attempt the last one may begin
 * @param chance numbers in [0, 1)
 */
record RetryPolicy(Duration first, Duration longest, Duration total, DoubleSupplier chance) {
    private static final int DOUBLINGS_MAX = 30;

    /**
     * How long to wait before the next attempt.
     *
     * @param failed attempts so far, 1 or more
     * @param elapsed since the first attempt
     * @param asked what the receiver asks for; zero for nothing
     * @return empty if it is time to give up
     */
    Optional<Duration> delay(int failed, Duration elapsed, Duration asked) {
        long doubled = first.toNanos() << Math.min(failed - 1, DOUBLINGS_MAX);
        boolean overflows = doubled >> Math.min(failed - 1, DOUBLINGS_MAX) != first.toNanos();
        long own = overflows ? longest.toNanos() : Math.min(doubled, longest.toNanos());
        Duration delay = Duration.ofNanos((long) (own * (1 - chance.getAsDouble() / 2)));
        Duration wait = delay.compareTo(asked) < 0 ? asked : delay;
        return elapsed.compareTo(total.minus(wait)) > 0 ? Optional.empty() : Optional.of(wait);
    }
}
