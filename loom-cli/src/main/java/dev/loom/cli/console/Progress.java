package dev.loom.cli.console;

import java.util.Locale;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * A line on standard error that shows the progress of a long command. It appears after a second, on terminals only, and gives way to what the
 * command prints.
 */
public final class Progress implements AutoCloseable {
    private static final long FIRST_NS = 1_000_000_000L;
    private static final long EVERY_NS = 200_000_000L;
    private static final int CHECK_EVERY = 256;

    private final Console console;
    private final String noun;
    private final LongSupplier nanoClock;
    private long startNs;
    private DoubleSupplier share = () -> Double.NaN;
    private long nextNs;
    private int calls;
    private long lastBytes;

    /**
     * Starts the clock, in place of another line that is still shown.
     *
     * @param noun what is counted, in the plural
     */
    public Progress(Console console, String noun) {
        this(console, noun, System::nanoTime);
    }

    Progress(Console console, String noun, LongSupplier nanoClock) {
        this.console = console;
        this.noun = noun;
        this.nanoClock = nanoClock;
        console.clearStatus();
        this.startNs = nanoClock.getAsLong();
        this.nextNs = startNs + FIRST_NS;
    }

    /** Sets the source of the share that is done, from 0 to 1, or NaN if unknown. */
    public void of(DoubleSupplier newShare) {
        share = newShare;
    }

    /** Updates the count; cheap enough for each record. */
    public void update(long count) {
        if (++calls % CHECK_EVERY == 0) {
            updateNow(count);
        }
    }

    /** Updates the count and reads the clock each time. */
    public void updateNow(long count) {
        if (console.hasRoomForStatus()) {
            long nowNs = nanoClock.getAsLong();
            if (nowNs - nextNs >= 0) {
                nextNs = nowNs + EVERY_NS;
                show(count, nowNs - startNs);
            }
        }
    }

    /**
     * Follows work of the store itself, in MiB. The clock starts again with the next work, which begins at a smaller number.
     *
     * @return false once the command is interrupted
     */
    public boolean onProgress(long doneBytes, long totalBytes) {
        if (doneBytes < lastBytes) {
            startNs = nanoClock.getAsLong();
        }
        lastBytes = doneBytes;
        share = () -> totalBytes == 0 ? Double.NaN : (double) doneBytes / totalBytes;
        updateNow(doneBytes >> 20);
        return !console.interruption().requested();
    }

    private void show(long count, long elapsedNs) {
        double seconds = elapsedNs / 1e9;
        double done = share.getAsDouble();
        String percent = Double.isNaN(done) ? "" : String.format(Locale.ROOT, ", %.0f %%", Math.floor(done * 100));
        if (done > 0 && done < 1) {
            percent += ", " + left(seconds / done * (1 - done)) + " left";
        }
        console.showStatus(
                String.format(Locale.ROOT, "%,d %s in %.0f s, %,.0f a second", count, noun, seconds, count / seconds)
                        + percent);
    }

    /** A time left, no more exact than it can be known. */
    private static String left(double seconds) {
        long whole = (long) Math.min(Math.ceil(seconds), Integer.MAX_VALUE);
        return whole < 100
                ? whole + " s"
                : whole < 6000 ? Math.round(whole / 60.0) + " min" : Math.round(whole / 3600.0) + " h";
    }

    @Override
    public void close() {
        console.clearStatus();
    }
}
