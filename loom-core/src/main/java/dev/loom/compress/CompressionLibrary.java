package dev.loom.compress;

import dev.loom.error.UnsupportedStoreException;
import dev.loom.log.PageDecoder;
import java.nio.file.Path;

/** The way to the library that compression needs, for programs that may not have it. Any thread. */
public final class CompressionLibrary {
    private CompressionLibrary() {}

    /**
     * Checks that the library is there.
     *
     * @throws UnsupportedStoreException when it is not
     */
    public static void check(Path directory) {
        try {
            Class.forName("io.airlift.compress.lz4.Lz4Decompressor");
        } catch (ClassNotFoundException | LinkageError e) {
            throw new UnsupportedStoreException(
                    "store has compressed segments, or is to have some, and the library for them is missing: directory="
                            + directory + ", missing=io.airlift:aircompressor");
        }
    }

    /** Makes what reads compressed segments. */
    public static PageDecoder decoder() {
        return new Lz4PageDecoder();
    }
}
