package dev.loom.store;

import dev.loom.api.TextIndexParameters;

/**
 * How the text index is built.
 *
 * @param share of one processor that building takes at most; 0 builds none
 * @param memoryBytes for the units that are being built
 * @param lists whether units have lists of rows, counts and prefixes, besides their filter
 * @param parameters of units with lists
 * @param bytesMax the bytes of the units of one source; beyond it the oldest are deleted
 */
public record TextIndexSettings(
        double share, long memoryBytes, boolean lists, TextIndexParameters parameters, long bytesMax) {
    public static final TextIndexSettings DEFAULT =
            new TextIndexSettings(0.25, 64 << 20, true, TextIndexParameters.DEFAULT, Long.MAX_VALUE);

    public static final TextIndexSettings NONE =
            new TextIndexSettings(0, 0, true, TextIndexParameters.DEFAULT, Long.MAX_VALUE);
}
