package dev.loom.cli.console;

import java.util.Locale;

/** A line on standard error that tells how far a long command is. It appears after a second, and on a terminal alone. */
public final class Progress implements AutoCloseable {
    private static final long FIRST_NS = 1_000_000_000L;
    private static final long EVERY_NS = 200_000_000L;
    private static final int CHECK_EVERY = 256;

    private final Console console;
    private final String noun;
    private final boolean enabled;
    private final long startNs = System.nanoTime();
    private long nextNs = startNs + FIRST_NS;
    private int calls;
    private boolean shown;

    /**
     * Starts the clock.
     *
     * @param noun of what is counted, in the plural
     */
    public Progress(Console console, String noun, boolean enabled) {
        this.console = console;
        this.noun = noun;
        this.enabled = enabled && console.errTerminal();
    }

    /** Cheap enough to be called for each record. */
    public void update(long count) {
        if (enabled && ++calls % CHECK_EVERY == 0) {
            long nowNs = System.nanoTime();
            if (nowNs - nextNs >= 0) {
                nextNs = nowNs + EVERY_NS;
                show(count, nowNs - startNs);
            }
        }
    }

    private void show(long count, long elapsedNs) {
        shown = true;
        String text = String.format(Locale.ROOT, "\r\u001b[K%,d %s in %.0f s", count, noun, elapsedNs / 1e9);
        console.err().print(text);
        console.err().flush();
    }

    /** Clears the line. */
    @Override
    public void close() {
        if (shown) {
            console.err().print("\r\u001b[K");
            console.err().flush();
            shown = false;
        }
    }
}
