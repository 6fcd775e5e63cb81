package dev.loom.io;

import java.nio.file.Path;
import java.util.List;

/** Another storage, for subclasses to change some of its calls. A file is opened to be rewritten as one that is opened to be written. */
public abstract class ForwardingStorage implements Storage {
    private final Storage storage;

    protected ForwardingStorage(Storage storage) {
        this.storage = storage;
    }

    @Override
    public void createDirectories(Path directory) {
        storage.createDirectories(directory);
    }

    @Override
    public void createDirectory(Path directory) {
        storage.createDirectory(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        storage.syncDirectory(directory);
    }

    @Override
    public void delete(Path file) {
        storage.delete(file);
    }

    @Override
    public void rename(Path file, Path name) {
        storage.rename(file, name);
    }

    @Override
    public List<Path> list(Path directory) {
        return storage.list(directory);
    }

    @Override
    public boolean exists(Path file) {
        return storage.exists(file);
    }

    @Override
    public String fileSystemType(Path directory) {
        return storage.fileSystemType(directory);
    }

    @Override
    public long totalSpace(Path directory) {
        return storage.totalSpace(directory);
    }

    @Override
    public long usableSpace(Path directory) {
        return storage.usableSpace(directory);
    }
}
