package dev.loom;

import dev.loom.io.Storage;

/** Gives tests of other packages what only they set: how a store reaches its files, and how much it reads at once. */
public final class StorageOption {
    private StorageOption() {}

    public static LoomConfig.Builder with(LoomConfig.Builder builder, Storage storage) {
        return builder.storage(storage);
    }

    /** From how many bytes of index logs on opening after a crash leaves their pages to a thread. */
    public static LoomConfig.Builder indexCheckBytes(LoomConfig.Builder builder, long bytes) {
        return builder.indexCheckBytes(bytes);
    }
}
