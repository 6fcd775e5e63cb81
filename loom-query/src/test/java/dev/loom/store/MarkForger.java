package dev.loom.store;

import dev.loom.io.Storage;
import java.nio.file.Path;

/** Writes marks that no store would. */
public final class MarkForger {
    private MarkForger() {}

    /** Makes another process the owner of a store that is open or was left so. */
    public static void owner(Path directory, long pid, long startTimeMs) {
        MarkFile file = new MarkFile(Storage.DISK, new StoreFiles(directory).mark());
        Mark mark = file.read();
        Mark.Owner owner = new Mark.Owner(
                pid, startTimeMs, mark.owner().bootId(), mark.owner().host());
        file.write(mark.owned(
                owner,
                mark.sessionNonce(),
                mark.staging(),
                mark.logs().stream().map(LogMark::ringLength).toList(),
                mark.file()));
    }
}
