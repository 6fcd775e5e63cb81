package dev.loom.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a disk holds for certain, and what it was told since and may hold. As POSIX has it, and no file system betters
 * it: a sync of a file keeps its bytes and its length, but not its name; a sync of a directory keeps its entries, but not
 * their bytes; all else may be there or not, in any combination, and a write any part of its blocks.
 */
final class CrashImage {
    /** A change. */
    interface Event {
        void applyTo(CrashImage image);
    }

    /** Something that is not certain to be on the disk. */
    private interface Change {
        /** What the disk may hold of the content: all of the change if there is no chance. */
        byte[] applyTo(byte[] content, @Nullable Chance chance);
    }

    /** A file or a directory, whatever its name is. */
    private static final class Node {
        final boolean directory;
        byte[] certain = {};
        final List<Change> changes = new ArrayList<>();
        final Map<String, Node> certainEntries = new TreeMap<>();
        final List<Map.Entry<String, @Nullable Node>> entryChanges = new ArrayList<>();

        Node(boolean directory) {
            this.directory = directory;
        }

        void sync() {
            certain = content(null);
            changes.clear();
        }

        byte[] content(@Nullable Chance chance) {
            byte[] content = certain.clone();
            for (Change change : changes) {
                content = change.applyTo(content, chance);
            }
            return content;
        }

        void syncEntries() {
            certainEntries.putAll(entries(null));
            certainEntries.keySet().retainAll(entries(null).keySet());
            entryChanges.clear();
        }

        Map<String, Node> entries(@Nullable Chance chance) {
            Map<String, Node> entries = new TreeMap<>(certainEntries);
            for (Map.Entry<String, @Nullable Node> change : entryChanges) {
                if (chance == null || chance.kept()) {
                    entries.compute(change.getKey(), (name, before) -> change.getValue());
                }
            }
            return entries;
        }
    }

    /** How a power cut treats what is not certain: all is lost, all is kept, or each has its own fate. */
    private static final class Chance {
        private final Random random;
        private final int kind;

        Chance(Random random) {
            this.random = random;
            this.kind = random.nextInt(6);
        }

        boolean kept() {
            return kind == 1 || (kind > 1 && random.nextBoolean());
        }

        /** Whether a write reached the disk in part, in blocks of so many bytes; 0 if not. */
        int torn() {
            return kind < 2 || random.nextBoolean() ? 0 : random.nextBoolean() ? 512 : 4096;
        }
    }

    private Node root = new Node(true);

    /** Another image of the same certain content. */
    CrashImage copy() {
        CrashImage copy = new CrashImage();
        copy.root = copyOf(root);
        return copy;
    }

    private static Node copyOf(Node node) {
        Node copy = new Node(node.directory);
        copy.certain = node.certain;
        node.certainEntries.forEach((name, entry) -> copy.certainEntries.put(name, copyOf(entry)));
        return copy;
    }

    private Node node(Path name) {
        Node node = root;
        for (Path part : name) {
            node = part.toString().isEmpty() ? node : node.entries(null).get(part.toString());
            if (node == null) {
                throw new AssertionError("a call to a file that is not there: file=" + name);
            }
        }
        return node;
    }

    private Node parent(Path name) {
        Path parent = name.getParent();
        return parent == null ? root : node(parent);
    }

    private void change(Path name, @Nullable Node node) {
        Map.Entry<String, @Nullable Node> change =
                new AbstractMap.SimpleImmutableEntry<>(name.getFileName().toString(), node);
        parent(name).entryChanges.add(change);
    }

    void create(Path name) {
        change(name, new Node(false));
    }

    void createDirectory(Path name) {
        change(name, new Node(true));
    }

    void delete(Path name) {
        change(name, null);
    }

    /** The new name leads to the old file or to this one, never to none; the old name may stay. */
    void rename(Path name, Path newName) {
        change(newName, node(name));
        delete(name);
    }

    void syncDirectory(Path name) {
        node(name).syncEntries();
    }

    void sync(Path name) {
        node(name).sync();
    }

    /** Of what is not certain, some is lost for ever, and the rest stays as it is. */
    void loseUnsynced(Path name, Random random) {
        node(name).changes.removeIf(change -> random.nextBoolean());
    }

    void write(Path name, int position, byte[] bytes) {
        node(name).changes.add((content, chance) -> written(content, position, bytes, chance));
    }

    void truncate(Path name, int size) {
        node(name)
                .changes
                .add((content, chance) -> chance == null || chance.kept() ? Arrays.copyOf(content, size) : content);
    }

    private static byte[] written(byte[] content, int position, byte[] bytes, @Nullable Chance chance) {
        int block = chance == null ? 0 : chance.torn();
        if (block == 0 && chance != null && !chance.kept()) {
            return content;
        }
        int end = position + bytes.length;
        byte[] written = Arrays.copyOf(content, Math.max(content.length, end));
        for (int at = position, next; at < end; at = next) {
            next = block == 0 ? end : Math.min(end, at - at % block + block);
            if (block == 0 || chance == null || chance.kept()) {
                System.arraycopy(bytes, at - position, written, at, next - at);
            }
        }
        // a torn write may have made the file longer, whether its bytes are there or not
        boolean shorter = block != 0 && end > content.length && chance != null && chance.kept();
        return shorter ? Arrays.copyOf(written, end - (end - content.length) / 2 / block * block) : written;
    }

    void syncAll() {
        syncAll(root);
    }

    private static void syncAll(Node node) {
        node.sync();
        node.syncEntries();
        node.certainEntries.values().forEach(CrashImage::syncAll);
    }

    /** Writes what may be left to a directory. */
    void cut(Random random, Path target) {
        try {
            write(root, target, new Chance(random));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Node node, Path target, Chance chance) throws IOException {
        if (!node.directory) {
            Files.write(target, node.content(chance));
            return;
        }
        Files.createDirectories(target);
        for (Map.Entry<String, Node> entry : node.entries(chance).entrySet()) {
            write(entry.getValue(), target.resolve(entry.getKey()), chance);
        }
    }
}
