package dev.loom.bench.lsm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a tree, opened. Levels are sorted runs: at most one file of each covers a key. */
public final class SstTree implements AutoCloseable {
    private final TreeShape shape;
    private final List<SstFile> all = new ArrayList<>();
    private final List<SstLevel> levels = new ArrayList<>();

    private SstTree(TreeShape shape) {
        this.shape = shape;
    }

    /** Opens the files that {@link BulkLoad} wrote. */
    public static SstTree open(Path directory, TreeShape shape, BlockAccess access) {
        final SstTree tree = new SstTree(shape);
        try {
            for (int level = 0; level < shape.levels(); level++) {
                final List<SstFile> files = new ArrayList<>();
                for (int file = 0; file < shape.files(level); file++) {
                    files.add(SstFile.open(path(directory, level, file), access));
                    tree.all.add(files.get(file));
                }
                tree.levels.add(new SstLevel(files));
            }
            return tree;
        } catch (final IOException e) {
            tree.close();
            throw new UncheckedIOException(e);
        }
    }

    static Path path(Path directory, int level, int file) {
        return directory.resolve(String.format("%02d-%06d.sst", level, file));
    }

    public TreeShape shape() {
        return shape;
    }

    SstLevel level(int level) {
        return levels.get(level);
    }

    SstLevel[] levels() {
        return levels.toArray(SstLevel[]::new);
    }

    @Override
    public void close() {
        for (final SstFile file : all) {
            try {
                file.close();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
