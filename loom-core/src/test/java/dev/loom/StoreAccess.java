package dev.loom;

import dev.loom.api.LossReason;
import dev.loom.io.Storage;
import dev.loom.store.StoreSession;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
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

    /** Opens a store with the rings that its mark names, which may shrink. */
    public static Loom openAsItWas(Path directory, Storage storage, UnaryOperator<LoomConfig.Builder> more) {
        return Loom.open(more.apply(LoomConfig.at(directory).storage(storage)).build());
    }

    /** Repairs a store in any way. */
    public static void repair(Path directory, Storage storage, UnaryOperator<LoomConfig.Builder> more) {
        StoreVerifier.repair(
                more.apply(small(directory).storage(storage)),
                (file, address, length, message) -> {},
                (done, total) -> true);
    }

    public static StoreSession session(Loom loom) {
        return loom.session();
    }

    /** The bytes of all files; the store may delete some meanwhile. */
    public static long bytes(Path store) {
        return bytes(store.toFile());
    }

    private static long bytes(File directory) {
        long bytes = 0;
        File[] files = Objects.requireNonNullElse(directory.listFiles(), new File[0]);
        // the newest first: an old one that is deleted meanwhile is not counted beside what took its room
        Arrays.sort(files, Comparator.reverseOrder());
        for (File file : files) {
            bytes += file.isDirectory() ? bytes(file) : file.length();
        }
        return bytes;
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
