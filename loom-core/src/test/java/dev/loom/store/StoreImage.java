package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.io.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All files of a store that no process has, and of its staging, to be put back in place as often as wanted. */
final class StoreImage {
    private static final int LIVE_INODE_OFFSET = 40;
    private static final int BLOCK_LENGTH = 4096;

    private final Path store;
    private final Path staging;
    private final Map<Path, byte[]> files = new TreeMap<>();
    /** What {@link #put} has given files since they were put back. */
    private final Map<Path, byte[]> given = new HashMap<>();

    private StoreImage(Path store, Path staging) {
        this.store = store;
        this.staging = staging;
    }

    static StoreImage of(Path store) {
        Mark mark = new MarkFile(Storage.DISK, store.resolve("loom.mark")).read();
        StoreImage image = new StoreImage(store, mark.staging());
        for (Path file : image.list()) {
            try {
                image.files.put(file, Files.readAllBytes(file));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return image;
    }

    Path store() {
        return store;
    }

    Path staging() {
        return staging;
    }

    /** A file's content, which the caller leaves as it is. */
    byte[] content(Path file) {
        return files.get(file);
    }

    /** The files whose paths hold a text, such as a folder's or a file's name. */
    List<Path> files(String part) {
        return files.keySet().stream()
                .filter(file -> file.toString().substring(temp(file)).contains(part))
                .toList();
    }

    private int temp(Path file) {
        return (file.startsWith(store) ? store : staging).toString().length() + 1;
    }

    /** Gives files of the store another content, in place, and leaves the others as they are. Writes only what differs. */
    void put(Map<Path, byte[]> changed) {
        changed.forEach((file, bytes) -> {
            byte[] before = given.getOrDefault(file, files.get(file));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(bytes.length);
                for (int from = 0; from < bytes.length; from += BLOCK_LENGTH) {
                    int to = Math.min(from + BLOCK_LENGTH, bytes.length);
                    if (!Arrays.equals(
                            bytes, from, to, before, Math.min(from, before.length), Math.min(to, before.length))) {
                        channel.write(ByteBuffer.wrap(bytes, from, to - from), from);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            given.put(file, bytes);
        });
    }

    private List<Path> list() {
        return Stream.of(store, staging).flatMap(StoreImage::walk).toList();
    }

    private static Stream<Path> walk(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void restore() {
        restore(Map.of());
    }

    /**
     * Puts the store back.
     *
     * @param changed files that are to hold something else
     */
    void restore(Map<Path, byte[]> changed) {
        given.clear();
        given.putAll(changed);
        try {
            for (Path file : list()) {
                if (!files.containsKey(file)) {
                    Files.delete(file);
                }
            }
            for (Map.Entry<Path, byte[]> file : files.entrySet()) {
                Files.createDirectories(file.getKey().getParent());
                // in place, as the mark knows its own inode
                Files.write(file.getKey(), changed.getOrDefault(file.getKey(), file.getValue()));
            }
            Path live = staging.resolve("live");
            if (files.containsKey(live)) {
                byte[] bytes = Files.readAllBytes(live);
                ByteBuffer inode = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
                if (bytes.length >= LIVE_INODE_OFFSET + Long.BYTES) {
                    long before = ByteBuffer.wrap(files.get(live))
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getLong(LIVE_INODE_OFFSET);
                    if (inode.getLong(LIVE_INODE_OFFSET) == before) {
                        inode.putLong(LIVE_INODE_OFFSET, FileId.of(live).inode());
                        Files.write(live, bytes);
                        (changed.containsKey(live) ? given : files).put(live, bytes);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes the staging, as a power cut does. */
    void cutPower() {
        try {
            for (Path file : walk(staging).toList()) {
                Files.delete(file);
            }
            Files.deleteIfExists(staging);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
