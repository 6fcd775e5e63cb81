package dev.loom.faults;

import dev.loom.UnsyncedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The disk, but that calls of one kind fail: the n-th, or all from the n-th on. Thread-safe. */
final class FaultyStorage implements Storage {
    /** What can fail. */
    enum Call {
        OPEN_TO_READ,
        OPEN_TO_WRITE,
        CREATE_DIRECTORIES,
        SYNC_DIRECTORY,
        DELETE,
        LIST,
        WRITE,
        READ,
        SIZE,
        TRUNCATE,
        FORCE,
        MAP,
        RENAME
    }

    private final Storage disk = new UnsyncedStorage();
    private final Map<Call, Integer> calls = new EnumMap<>(Call.class);
    private Call failing = Call.WRITE;
    private int nth = Integer.MAX_VALUE;
    private boolean sticky;
    private Predicate<Path> files = file -> true;
    private int failures;

    /** Fails the n-th call from now on, counted from 1, and when sticky all after it. */
    synchronized void fail(Call call, int number, boolean forEver) {
        heal();
        failing = call;
        nth = number;
        sticky = forEver;
    }

    /** As above, for some files alone. */
    synchronized void fail(Call call, int number, boolean forEver, Predicate<Path> which) {
        fail(call, number, forEver);
        files = which;
    }

    synchronized void heal() {
        calls.clear();
        nth = Integer.MAX_VALUE;
        sticky = false;
        files = file -> true;
        failures = 0;
    }

    /** Calls since the last change. */
    synchronized int calls(Call call) {
        return calls.getOrDefault(call, 0);
    }

    synchronized int failures() {
        return failures;
    }

    private synchronized void check(Call call, Path file) {
        if (!files.test(file)) {
            return;
        }
        int number = calls.merge(call, 1, Integer::sum);
        if (call == failing && (number == nth || (sticky && number > nth))) {
            failures++;
            throw new StoreIoException(
                    "injected failure: call=" + call + ", number=" + number + ", file=" + file, null);
        }
    }

    @Override
    public LoomFile openToRead(Path file) {
        check(Call.OPEN_TO_READ, file);
        return new FaultyFile(disk.openToRead(file));
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        check(Call.OPEN_TO_WRITE, file);
        return new FaultyFile(disk.openToWrite(file, direct));
    }

    @Override
    public void createDirectory(Path directory) {
        check(Call.CREATE_DIRECTORIES, directory);
        disk.createDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        check(Call.CREATE_DIRECTORIES, directory);
        disk.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        check(Call.SYNC_DIRECTORY, directory);
        disk.syncDirectory(directory);
    }

    @Override
    public void delete(Path file) {
        check(Call.DELETE, file);
        disk.delete(file);
    }

    @Override
    public void rename(Path file, Path name) {
        check(Call.RENAME, file);
        disk.rename(file, name);
    }

    @Override
    public List<Path> list(Path directory) {
        check(Call.LIST, directory);
        return disk.list(directory);
    }

    @Override
    public boolean exists(Path file) {
        return disk.exists(file);
    }

    private final class FaultyFile implements LoomFile {
        private final LoomFile file;

        FaultyFile(LoomFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        /** A write that fails has written its first half. */
        @Override
        public void write(ByteBuffer source, long position) {
            try {
                check(Call.WRITE, path());
            } catch (StoreIoException e) {
                ByteBuffer half = source.duplicate();
                half.limit(half.position() + (half.remaining() / 2 & -4096));
                file.write(half, position);
                throw e;
            }
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            check(Call.READ, path());
            return file.read(target, position);
        }

        @Override
        public long size() {
            check(Call.SIZE, path());
            return file.size();
        }

        @Override
        public void truncate(long size) {
            check(Call.TRUNCATE, path());
            file.truncate(size);
        }

        @Override
        public void force() {
            check(Call.FORCE, path());
            file.force();
        }

        @Override
        public MappedByteBuffer map(boolean writable, long position, long length) {
            check(Call.MAP, path());
            return file.map(writable, position, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
