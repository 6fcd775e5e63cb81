package dev.loom;

import dev.loom.io.Storage;

/** Gives tests of other packages the seam through which a store reaches its files. */
public final class StorageOption {
    private StorageOption() {}

    public static LoomConfig.Builder with(LoomConfig.Builder builder, Storage storage) {
        return builder.storage(storage);
    }
}
