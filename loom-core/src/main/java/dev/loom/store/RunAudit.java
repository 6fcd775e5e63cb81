package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.error.CorruptStoreException;
import dev.loom.record.LeasedSnapshot;
import dev.loom.record.SnapshotView;
import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunFiles.RunFile;
import dev.loom.rollup.RunReader;
import dev.loom.rollup.RunShape;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Compares runs of level 1 with the directories and bins of their chunks, and longer ones with the runs that they sum up. For one thread.
 */
final class RunAudit implements AutoCloseable {
    private final RunFiles files;
    private final SnapshotView view;
    private final RunBuilder builder;
    private final ChunkWalk walk;
    private final RunReader stored;
    private final RunReader parts;
    private final BiConsumer<Path, String> faults;
    private long filesRead;
    private long runsRead;

    /**
     * @param snapshot open while the audit runs
     * @param indexes the index by its id; null for one that is not known
     * @param faults receives a file and what is wrong with it
     */
    RunAudit(RunFiles files, Snapshot snapshot, IntFunction<@Nullable Index> indexes, BiConsumer<Path, String> faults) {
        this.files = files;
        this.view = ((LeasedSnapshot) snapshot).view();
        this.builder = new RunBuilder(indexes);
        this.walk = builder.walk(view);
        this.stored = new RunReader(files, view.records().storeId());
        this.parts = new RunReader(files, view.records().storeId());
        this.faults = faults;
    }

    /** Reads all files, unless it is stopped. */
    void run(BooleanSupplier stopped) {
        long begin = view.retainedBegin();
        for (RunFile file : files.all()) {
            if (stored.isUsable(file)) {
                filesRead++;
                for (long number = file.first(); number < file.first() + RunShape.fanOut(); number++) {
                    if (stopped.getAsBoolean()) {
                        return;
                    }
                    // what retention has reached is in no query's way
                    if (RunShape.begin(file.level(), number) >= begin && stored.claims(file.level(), number)) {
                        check(file, number);
                    }
                }
            } else if (isWrong(file)) {
                filesRead++;
                faults.accept(file.path(), "not a file of runs of this store and version");
            }
        }
    }

    /** Looks again at a file that is not usable: a writer may have begun it just behind the first look. */
    private boolean isWrong(RunFile file) {
        if (!files.isBegun(file)) {
            return false;
        }
        stored.refresh();
        return !stored.isUsable(file) && !stored.isOlder(file);
    }

    private void check(RunFile file, long number) {
        runsRead++;
        try {
            if (!stored.read(file.level(), number)) {
                faults.accept(file.path(), "run is damaged: number=" + number);
                return;
            }
            RunBuilder.Outcome outcome = file.level() == 1
                    ? builder.ofChunks(walk, number, Long.MAX_VALUE, () -> {})
                    : builder.ofRuns(parts, file.level(), number, () -> {});
            if (outcome == RunBuilder.Outcome.DONE && !builder.agreesWith(stored)) {
                faults.accept(
                        file.path(),
                        "run differs from what it sums up: number=" + number + ", address=" + stored.start());
            }
        } catch (CorruptStoreException e) {
            faults.accept(file.path(), "run is malformed: number=" + number + ", reason=" + e.getMessage());
        }
    }

    long files() {
        return filesRead;
    }

    long runs() {
        return runsRead;
    }

    @Override
    public void close() {
        stored.close();
        parts.close();
        walk.close();
    }
}
