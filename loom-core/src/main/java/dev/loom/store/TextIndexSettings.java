package dev.loom.store;

import dev.loom.api.TextIndexParameters;
import dev.loom.filter.FilterCache;

/**
 * How the text index is built and searched.
 *
 * @param share of one processor that building takes at most; 0 builds none
 * @param memoryBytes for the units that are being built
 * @param lists whether units have lists of rows, counts and prefixes, besides their filter
 * @param parameters of units with lists
 * @param bytesMax the bytes of the units of one source; beyond it the oldest are deleted
 * @param cacheBytes for what searches have read
 */
public record TextIndexSettings(
        double share, long memoryBytes, boolean lists, TextIndexParameters parameters, long bytesMax, long cacheBytes) {
    public static final TextIndexSettings DEFAULT = new TextIndexSettings(
            0.25, 64 << 20, true, TextIndexParameters.DEFAULT, Long.MAX_VALUE, FilterCache.BYTES_DEFAULT);

    public static final TextIndexSettings NONE =
            new TextIndexSettings(0, 0, true, TextIndexParameters.DEFAULT, Long.MAX_VALUE, 0);
}
