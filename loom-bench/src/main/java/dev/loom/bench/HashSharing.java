package dev.loom.bench;

import dev.loom.bench.lsm.BlockAccess;
import dev.loom.bench.lsm.BulkLoad;
import dev.loom.bench.lsm.SstTree;
import dev.loom.bench.lsm.TreeShape;
import dev.loom.bench.push.CpuTime;
import dev.loom.bench.push.ScratchDirectory;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Hash sharing across the levels of a log-structured merge tree ("Reducing Bloom filter CPU overhead in LSM-trees", Table 1 and
 * Figures 1 and 5 to 9): lookups whose filters compute a digest a level, against the same with one digest, on a disk with direct
 * and buffered reads, on tmpfs, and on tmpfs mapped into memory. Times are nanoseconds a lookup.
 */
public final class HashSharing {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "figures", "filters,blocks,1,6,7,8,5a,5b",
        "media", "direct,buffered,tmpfs,mapped",
        "sweep-media", "direct,tmpfs",
        "levels", "5",
        "first-level", "512k",
        "doubling-levels", "14",
        "doubling-first-level", "256k",
        "key-sweep", "8,16,32,64,128,256,512,1024",
        "sweep-first-level", "128k",
        "file", "2m",
        "lookups", "20000",
        "direct-lookups", "4000",
        "rounds", "9",
        "quick", "false"
    };
    private static final String[] QUICK = {
        "--levels", "3",
        "--first-level", "16k",
        "--doubling-levels", "4",
        "--doubling-first-level", "16k",
        "--key-sweep", "8,1024",
        "--sweep-first-level", "16k",
        "--file", "256k",
        "--lookups", "1000",
        "--direct-lookups", "200",
        "--rounds", "2"
    };
    private static final int KEY_LENGTH = 512;
    private static final int ENTRY_LENGTH = 1024;
    private static final int SWEEP_ENTRY_LENGTH = 2048;
    private static final int RATIO = 10;

    /** Where files are, and how they are read. */
    private enum Medium {
        DIRECT(true, BlockAccess.DIRECT, "disk, direct"),
        BUFFERED(true, BlockAccess.BUFFERED, "disk, buffered"),
        TMPFS(false, BlockAccess.BUFFERED, "tmpfs"),
        MAPPED(false, BlockAccess.MAPPED, "tmpfs, mapped");

        private final boolean onDisk;
        private final BlockAccess access;
        private final String text;

        Medium(boolean onDisk, BlockAccess access, String text) {
            this.onDisk = onDisk;
            this.access = access;
            this.text = text;
        }
    }

    /** What is done with a tree that is open. */
    @FunctionalInterface
    private interface Task {
        void run(SharingFigures figures) throws Exception;
    }

    private final Arguments arguments;
    private final PrintStream out;

    private HashSharing(Arguments arguments, PrintStream out) {
        this.arguments = arguments;
        this.out = out;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        Arguments options = Arguments.parse(arguments, DEFAULTS);
        if (options.flag("quick")) {
            final List<String> quick = new ArrayList<>(List.of(QUICK));
            quick.addAll(List.of(arguments)); // what is given has the last word
            options = Arguments.parse(quick.toArray(String[]::new), DEFAULTS);
        }
        out.println("HashSharing " + options);
        new HashSharing(options, out).run();
    }

    private void run() throws Exception {
        final Path disk = Path.of(arguments.text("dir"));
        Files.createDirectories(disk);
        Machine.describe(disk).forEach((name, value) -> out.println(name + ": " + value));
        final List<String> figures = new ArrayList<>(arguments.list("figures"));
        final boolean sweep = figures.remove("5a");
        final boolean doubling = figures.remove("5b");
        if (!figures.isEmpty()) {
            withTree(media("media"), shape(), opened -> {
                for (final String figure : figures) {
                    opened.print(figure);
                }
            });
        }
        if (sweep) {
            keySweep();
        }
        if (doubling) {
            withTree(media("sweep-media"), doublingShape(), SharingFigures::doublingLevels);
        }
        out.printf("%nload at the end: %s%n", Machine.loadAverage());
    }

    private void keySweep() throws Exception {
        for (final Medium medium : media("sweep-media")) {
            final SharingTable table = new SharingTable(
                    out,
                    "Figure 5a, " + medium.text + ": absent keys by their length, "
                            + SharingFigures.size(sweepShape(Long.BYTES), arguments.number("levels")),
                    "key, bytes");
            for (final String length : arguments.list("key-sweep")) {
                withTree(List.of(medium), sweepShape(Integer.parseInt(length)), opened -> opened.row(table, length));
            }
        }
    }

    private TreeShape shape() {
        return new TreeShape(
                arguments.number("levels"), RATIO, arguments.bytes("first-level"), file(), KEY_LENGTH, ENTRY_LENGTH);
    }

    private TreeShape doublingShape() {
        return new TreeShape(
                arguments.number("doubling-levels"),
                2,
                arguments.bytes("doubling-first-level"),
                file(),
                KEY_LENGTH,
                ENTRY_LENGTH);
    }

    private TreeShape sweepShape(int keyLength) {
        return new TreeShape(
                arguments.number("levels"),
                RATIO,
                arguments.bytes("sweep-first-level"),
                file(),
                keyLength,
                SWEEP_ENTRY_LENGTH);
    }

    private int file() {
        return Math.toIntExact(arguments.bytes("file"));
    }

    private List<Medium> media(String option) {
        return arguments.list(option).stream()
                .map(name -> Medium.valueOf(name.toUpperCase(Locale.ROOT)))
                .toList();
    }

    /** Writes a tree once to the disk and once to tmpfs, as far as the media need it, and opens it for each medium. */
    private void withTree(List<Medium> media, TreeShape shape, Task task) throws Exception {
        final SharingFilters filters = new SharingFilters(shape);
        for (final boolean onDisk : new boolean[] {true, false}) {
            final List<Medium> here =
                    media.stream().filter(medium -> medium.onDisk == onDisk).toList();
            if (!here.isEmpty()) {
                try (ScratchDirectory directory = directory(onDisk)) {
                    BulkLoad.into(directory.path(), shape);
                    for (final Medium medium : here) {
                        try (SstTree tree = SstTree.open(directory.path(), shape, medium.access)) {
                            task.run(figures(medium, tree, filters));
                        }
                    }
                }
            }
        }
    }

    private ScratchDirectory directory(boolean onDisk) {
        return onDisk
                ? ScratchDirectory.onDisk(Path.of(arguments.text("dir")), arguments.flag("allow-tmpfs"))
                : ScratchDirectory.in(Path.of(arguments.text("staging")));
    }

    private SharingFigures figures(Medium medium, SstTree tree, SharingFilters filters) {
        final int lookups = arguments.number("lookups");
        final int hits = medium == Medium.DIRECT ? arguments.number("direct-lookups") : lookups;
        return new SharingFigures(
                out,
                medium.text,
                medium == Medium.DIRECT ? System::nanoTime : CpuTime::threadNs,
                tree,
                filters,
                lookups,
                hits,
                arguments.number("rounds"));
    }
}
