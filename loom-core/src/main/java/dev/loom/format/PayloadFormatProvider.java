package dev.loom.format;

import java.util.Set;

/**
 * Brings payload formats that the store does not have itself. Found by {@link java.util.ServiceLoader}, and asked each
 * time that {@link Formats#parse} meets a name which is not built in.
 */
public interface PayloadFormatProvider {
    /** The names of its formats, each {@code [a-z][a-z0-9-]*}. Those built in can't be replaced. */
    Set<String> names();

    /**
     * Makes the format of a text form.
     *
     * @param text begins with one of {@link #names()}, followed by nothing, or by a colon and whatever the format wants
     * @return a format whose {@link PayloadFormat#text()} is {@code text}
     * @throws IllegalArgumentException when what follows the colon is wrong
     */
    PayloadFormat parse(String text);
}
