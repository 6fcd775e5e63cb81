package dev.loom.otlp.server;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How a body or message is compressed. */
enum ContentEncoding {
    IDENTITY,
    GZIP,
    ZSTD;

    /** The names as clients are told them. */
    static final String NAMES = "identity,gzip,zstd";

    /** Finds the encoding of a header's value; none means identity, an unknown one is null. */
    static @Nullable ContentEncoding of(@Nullable String name) {
        return switch (name == null ? "" : name.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            case "zstd" -> ZSTD;
            default -> null;
        };
    }
}
