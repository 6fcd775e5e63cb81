package dev.loom.cli.console;

import java.util.Locale;

/** When to use colours. */
public enum Colours {
    /** On a terminal, unless NO_COLOR is set. */
    AUTO,
    ALWAYS,
    NEVER;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
