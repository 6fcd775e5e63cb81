package dev.loom.bench.lsm;

import java.nio.file.Path;

/** Writes the files of a full tree. */
public final class BulkLoad {
    private BulkLoad() {}

    /** Writes into a directory without files of a tree. */
    public static void into(Path directory, TreeShape shape) {
        final KeySpace keys = new KeySpace(shape);
        final SstWriter writer = new SstWriter(shape);
        final byte[] key = new byte[shape.keyLength()];
        for (int level = 0; level < shape.levels(); level++) {
            long index = 0;
            for (int file = 0; file < shape.files(level); file++) {
                for (int i = shape.entriesOfFile(level, file); i > 0; i--) {
                    final long number = keys.number(level, index++);
                    KeySpace.write(number, key);
                    writer.add(key, number);
                }
                writer.finish(SstTree.path(directory, level, file));
            }
        }
    }
}
