package dev.loom.bench.push;

import java.nio.file.Path;

/** The directories of one target, on the disk and in staging; deleted on close. */
final class TargetFiles implements AutoCloseable {
    private final ScratchDirectory directory;
    private final ScratchDirectory staging;

    TargetFiles(PushSettings settings) {
        directory = ScratchDirectory.in(settings.directory());
        staging = ScratchDirectory.in(settings.staging());
    }

    Path directory() {
        return directory.path();
    }

    Path staging() {
        return staging.path();
    }

    @Override
    public void close() {
        directory.close();
        staging.close();
    }
}
