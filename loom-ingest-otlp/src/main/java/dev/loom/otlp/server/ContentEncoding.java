package dev.loom.otlp.server;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a body or message is compressed. */
enum ContentEncoding {
    IDENTITY,
    GZIP,
    ZSTD;

    /** The names, for messages to clients. */
    static final String NAMES = "identity,gzip,zstd";

    /** The encoding for a header's value: identity if there is none, null if it is unknown. */
    static @Nullable ContentEncoding of(@Nullable String name) {
        return switch (name == null ? "" : name.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            case "zstd" -> ZSTD;
            default -> null;
        };
    }
}
