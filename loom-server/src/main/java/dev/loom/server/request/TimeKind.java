package dev.loom.server.request;

import java.util.Locale;

/** The times by which records can be selected and ordered. */
public enum TimeKind {
    ARRIVAL,
    EVENT;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
