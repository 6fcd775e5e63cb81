package dev.loom.faults;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disk, together with a journal of every call that changes what is below one directory: from it, the directory can be
 * made as a power cut after any of these calls might leave it. What is elsewhere, such as staging, is not kept: a power
 * cut takes it. Thread-safe.
 */
final class CrashStorage implements Storage {
    private final Path root;
    private final CrashImage initial;
    private final List<CrashImage.Event> journal = new ArrayList<>();
    private final List<String> points = new ArrayList<>();
    private @Nullable Random syncFailures;
    private int syncsFailed;
    private int renames;
    private volatile long capacity = Long.MAX_VALUE;

    /** @param root exists; what is in it now is durable */
    CrashStorage(Path root) {
        this.root = root;
        this.initial = new CrashImage();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted().toList()) {
                Path name = root.relativize(file);
                if (Files.isRegularFile(file)) {
                    initial.create(name);
                    initial.write(name, 0, Files.readAllBytes(file));
                } else if (!file.equals(root)) {
                    initial.createDirectory(name);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        initial.syncAll();
    }

    /** How many calls changed something so far. */
    synchronized int calls() {
        return journal.size();
    }

    /** What a call was: its name and the kind of its file, as in {@code rename record/N.seg}. */
    synchronized String point(int call) {
        return points.get(call);
    }

    /** Sees the disk after so many calls. */
    interface Visitor {
        void on(int calls, CrashImage image) throws IOException;
    }

    /** Shows the disk as it was at first, and after each call. */
    synchronized void replay(Visitor visitor) throws IOException {
        CrashImage image = initial.copy();
        visitor.on(0, image);
        for (int calls = 1; calls <= journal.size(); calls++) {
            journal.get(calls - 1).applyTo(image);
            visitor.on(calls, image);
        }
    }

    /** From now on some syncs fail, as the chance has it; none with null. */
    synchronized void failSyncs(@Nullable Random chance) {
        syncFailures = chance;
    }

    /** How many files got another name so far. */
    synchronized int renames() {
        return renames;
    }

    /** How many syncs failed so far. */
    synchronized int syncsFailed() {
        return syncsFailed;
    }

    /** A sync that fails may have lost any of what it was to keep, and the next one does not tell. */
    private synchronized void sync(Path name) {
        Random chance = syncFailures;
        if (chance == null || chance.nextInt(name.toString().endsWith(".seg") ? 40 : 8) != 0) {
            note("sync", name, image -> image.sync(name));
            return;
        }
        long lost = chance.nextLong();
        note("sync, failed", name, image -> image.loseUnsynced(name, new Random(lost)));
        syncsFailed++;
        throw new StoreIoException("injected failure: call=sync, file=" + name);
    }

    /** What may be found after a power cut behind the first {@code calls} calls. */
    synchronized CrashImage.Remains cut(int calls, CrashImage.Loss loss, Random random) {
        CrashImage image = initial.copy();
        journal.subList(0, calls).forEach(event -> event.applyTo(image));
        return image.cut(loss, random);
    }

    /** Makes a directory as it may be found then. */
    void cut(int calls, Random random, Path target) {
        cut(calls, CrashImage.Loss.any(random), random).writeTo(target);
    }

    private boolean isBelow(Path file) {
        return file.startsWith(root);
    }

    private synchronized void note(String call, Path file, CrashImage.Event event) {
        journal.add(event);
        points.add(call + ' ' + file.toString().replaceAll("[0-9]{20}|[0-9a-f]{16}|(?<=[.])[0-9a-f]+(?=[.]tmp)", "N"));
    }

    @Override
    public LoomFile openToRead(Path file) {
        return new CrashFile(DISK.openToRead(file), root.relativize(file), false);
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        boolean kept = isBelow(file);
        Path name = root.relativize(file);
        synchronized (this) {
            boolean made = !Files.exists(file);
            LoomFile open = DISK.openToWrite(file, false);
            if (made && kept) {
                note("create", name, image -> image.create(name));
            }
            return new CrashFile(open, name, kept);
        }
    }

    @Override
    public synchronized void createDirectory(Path directory) {
        if (isBelow(directory) && !Files.exists(directory)) {
            Path name = root.relativize(directory);
            note("create", name, image -> image.createDirectory(name));
        }
        DISK.createDirectory(directory);
    }

    @Override
    public synchronized void createDirectories(Path directory) {
        if (isBelow(directory)) {
            Path name = root.relativize(directory);
            for (int i = 1; i <= name.getNameCount(); i++) {
                Path each = name.subpath(0, i);
                if (!Files.exists(root.resolve(each))) {
                    note("create", each, image -> image.createDirectory(each));
                }
            }
        }
        DISK.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        if (isBelow(directory)) {
            Path name = root.relativize(directory);
            note("sync", name, image -> image.syncDirectory(name));
        }
    }

    @Override
    public synchronized void delete(Path file) {
        if (isBelow(file) && Files.exists(file)) {
            Path name = root.relativize(file);
            note("delete", name, image -> image.delete(name));
        }
        DISK.delete(file);
    }

    @Override
    public synchronized void rename(Path file, Path name) {
        if (isBelow(file)) {
            Path from = root.relativize(file);
            Path to = root.relativize(name);
            note("rename", from, image -> image.rename(from, to));
            renames++;
        }
        DISK.rename(file, name);
    }

    /** How many bytes the disk holds, which it does not enforce. */
    void capacity(long bytes) {
        capacity = bytes;
    }

    @Override
    public long usableSpace(Path directory) {
        return isBelow(directory) ? capacity - size(root.toFile()) : DISK.usableSpace(directory);
    }

    private static long size(File file) {
        File[] inside = file.listFiles();
        return inside == null
                ? file.length()
                : Arrays.stream(inside).mapToLong(CrashStorage::size).sum();
    }

    @Override
    public List<Path> list(Path directory) {
        return DISK.list(directory);
    }

    @Override
    public boolean exists(Path file) {
        return DISK.exists(file);
    }

    private final class CrashFile implements LoomFile {
        private final LoomFile file;
        private final Path name;
        private final boolean kept;

        CrashFile(LoomFile file, Path name, boolean kept) {
            this.file = file;
            this.name = name;
            this.kept = kept;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            byte[] bytes = new byte[kept ? source.remaining() : 0];
            source.duplicate().get(bytes);
            file.write(source, position);
            if (kept) {
                note("write", name, image -> image.write(name, (int) position, bytes));
            }
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
            if (kept) {
                note("truncate", name, image -> image.truncate(name, (int) size));
            }
        }

        @Override
        public void force() {
            if (kept) {
                sync(name);
            }
        }

        @Override
        public MappedByteBuffer map(boolean writable, long position, long length) {
            return file.map(writable, position, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
