package dev.loom.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
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

    /** How a power cut treats what is not certain. */
    enum Loss {
        /** All of it is lost. */
        DROP,
        /** All of it is there. */
        KEEP,
        /** Names and lengths are there. Where bytes would be, zeroes are. */
        ZERO,
        /** Names are there, and some blocks of each write. */
        TEAR,
        /** Each change is there or not, whatever came before it. */
        REORDER,
        /** Each change is there, there in part, or not. */
        MIX;

        static Loss any(Random random) {
            return values()[random.nextInt(values().length)];
        }
    }

    private record Chance(Loss loss, Random random) {
        boolean kept() {
            return switch (loss) {
                case DROP -> false;
                case KEEP, ZERO, TEAR -> true;
                case REORDER, MIX -> random.nextBoolean();
            };
        }

        /** Whether a write reached the disk in part, in blocks of so many bytes; 0 if not. */
        int torn() {
            boolean torn = loss == Loss.TEAR || (loss == Loss.MIX && random.nextBoolean());
            return !torn ? 0 : random.nextBoolean() ? 512 : 4096;
        }

        boolean keptBlock() {
            return random.nextBoolean();
        }
    }

    /** What is left on the disk: directories, whose names end with a slash, and files with their bytes. */
    record Remains(SortedMap<String, byte[]> content) {
        /** The same for the same remains. */
        String digest() {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                content.forEach((name, bytes) -> {
                    digest.update((name + ' ' + bytes.length + ' ').getBytes(StandardCharsets.UTF_8));
                    digest.update(bytes);
                });
                return HexFormat.of().formatHex(digest.digest());
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError(e);
            }
        }

        void writeTo(Path directory) {
            try {
                Files.createDirectories(directory);
                for (Map.Entry<String, byte[]> each : content.entrySet()) {
                    Path file = directory.resolve(each.getKey());
                    if (each.getKey().endsWith("/")) {
                        Files.createDirectory(file);
                    } else {
                        Files.write(file, each.getValue());
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
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
        if (chance != null && chance.loss == Loss.ZERO) {
            return Arrays.copyOf(content, Math.max(content.length, position + bytes.length));
        }
        int block = chance == null ? 0 : chance.torn();
        if (block == 0 && chance != null && !chance.kept()) {
            return content;
        }
        int end = position + bytes.length;
        byte[] written = Arrays.copyOf(content, Math.max(content.length, end));
        for (int at = position, next; at < end; at = next) {
            next = block == 0 ? end : Math.min(end, at - at % block + block);
            if (block == 0 || chance == null || chance.keptBlock()) {
                System.arraycopy(bytes, at - position, written, at, next - at);
            }
        }
        // a torn write may have made the file longer, whether its bytes are there or not
        boolean shorter = block != 0 && end > content.length && chance != null && chance.keptBlock();
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

    /** What may be left. */
    Remains cut(Loss loss, Random random) {
        SortedMap<String, byte[]> content = new TreeMap<>();
        collect(root, "", new Chance(loss, random), content);
        return new Remains(content);
    }

    private static void collect(Node node, String name, Chance chance, SortedMap<String, byte[]> content) {
        if (!node.directory) {
            content.put(name, node.content(chance));
            return;
        }
        String prefix = name.isEmpty() ? "" : name + "/";
        if (!prefix.isEmpty()) {
            content.put(prefix, new byte[0]);
        }
        node.entries(chance).forEach((entry, child) -> collect(child, prefix + entry, chance, content));
    }
}
