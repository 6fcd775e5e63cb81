package dev.loom.format;

import java.util.Set;

/**
 * Provides further payload formats. Found by {@link java.util.ServiceLoader}, and consulted whenever {@link
 * Formats#parse} meets a name that is not built in. A store looks for providers by the context class loader of the thread that
 * {@linkplain dev.loom.LoomConfig.Builder#build() made its configuration}, a reader by that of the thread that {@linkplain
 * dev.loom.LoomReader#attach attached} it, whatever thread asks later; both look in Loom's own class loader after that. A
 * provider that can't be loaded, or throws, never keeps a store from being opened: the sources of its formats are read as
 * {@code bytes}, and {@link PayloadFormat#failure()} says why.
 */
public interface PayloadFormatProvider {
    /** The names of its formats, each {@code [a-z][a-z0-9-]*}. Built-in formats can't be replaced. */
    Set<String> names();

    /**
     * Parses a format from its text form.
     *
     * @param text begins with one of {@link #names()}, alone or followed by a colon and the format's arguments
     * @return a format whose {@link PayloadFormat#text()} is {@code text}
     * @throws IllegalArgumentException for wrong arguments
     */
    PayloadFormat parse(String text);
}
