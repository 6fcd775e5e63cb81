package dev.loom;

import dev.loom.api.LossReason;
import dev.loom.io.Storage;
import dev.loom.store.StoreSession;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/** Opens stores in ways that only tests need. */
public final class StoreAccess {
    private StoreAccess() {}

    /** The smallest store. */
    public static LoomConfig.Builder small(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN);
    }

    public static Loom open(Path directory, Storage storage) {
        return open(directory, storage, builder -> builder);
    }

    public static Loom open(Path directory, Storage storage, UnaryOperator<LoomConfig.Builder> more) {
        return Loom.open(more.apply(small(directory).storage(storage)).build());
    }

    public static StoreSession session(Loom loom) {
        return loom.session();
    }

    /** Checks no index before opening returns, however short. */
    public static LoomConfig.Builder checkIndexesLater(LoomConfig.Builder builder) {
        return builder.indexCheckBytes(0);
    }

    /** Notes that records were dropped, as a recorder does. */
    public static void drop(Loom loom, int sourceId, long records) {
        long now = loom.session().log().lastTimeNs();
        loom.session().log().noteLoss(sourceId, LossReason.STORE_FULL, records, now, now);
    }
}
