package dev.loom.query.oracle;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.RebuildGate;
import dev.loom.StorageOption;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store to which things happen at random: records of a few sources, of values that meet each other at the edges of bins
 * and types, at equal times, some over several pages; indexes that come and go, are lost, and rebuilt in the background; reopening,
 * and going on in a copy as it is when the writer was killed.
 */
final class RandomStore implements AutoCloseable {
    static final int SOURCES = 3;

    private static final long[] EDGES = {
        0,
        1,
        -1,
        10,
        15,
        20,
        255,
        1000,
        (1L << 53) - 1,
        1L << 53,
        (1L << 53) + 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1_700_000_000_000_000_000L
    };

    private final Random random;
    private final Path parent;
    private final int[] sources = new int[SOURCES];
    private final RebuildGate gate = new RebuildGate();
    private Path directory;
    private Loom loom;
    private long now = 1_000_000_000L;
    private int copies;
    private int names;
    private int shape;

    RandomStore(Path parent, Random random) {
        this.parent = parent;
        this.random = random;
        this.directory = parent.resolve("store");
        this.loom = open();
        for (int i = 0; i < SOURCES; i++) {
            sources[i] = loom.defineSource("source-" + i, Row.FORMAT);
        }
        for (int i = random.nextInt(8) * 4; i > 0; i--) {
            defineIndex();
        }
    }

    private Loom open() {
        LoomConfig.Builder builder = LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(5 << 16)
                .adoptCopy(true)
                .rebuildIndexes(random.nextInt(4) == 0)
                .backgroundRebuildBytes((long) random.nextInt(12) << 16)
                .clock(() -> now);
        if (random.nextBoolean()) {
            builder.indexFunction(Row.lambda());
        }
        StorageOption.indexCheckBytes(builder, (long) random.nextInt(12) << 16);
        gate.reset();
        return Loom.open(StorageOption.with(builder, gate).build());
    }

    private void closeLoom() {
        gate.close();
        loom.close();
    }

    /** Whether indexes are being rebuilt. */
    boolean rebuilding() {
        return loom.info().rebuild().isPresent();
    }

    private void rebuild() {
        gate.pass(random.nextInt(60), this::rebuilding);
        loom.info().writer().orElseThrow().rebuildFailure().ifPresent(failure -> {
            throw new AssertionError("rebuild failed: " + failure);
        });
    }

    Loom loom() {
        return loom;
    }

    Path directory() {
        return directory;
    }

    int source(int i) {
        return sources[i];
    }

    /** One thing that happens. */
    void step() {
        switch (random.nextInt(30)) {
            case 0, 1, 2, 3 -> defineIndex();
            case 4 -> closeIndex();
            case 5 -> loom.force();
            case 6 -> reopen();
            case 7 -> goOnInCopy();
            case 8 -> shape = random.nextInt(6);
            case 9, 10, 11, 12 -> rebuild();
            case 13, 14 -> loom.finishRollups((done, total) -> true);
            case 15 -> {
                loom.force();
                loom.finishRollups((done, total) -> true);
            }
            default -> push(20 + random.nextInt(400));
        }
    }

    void push(int records) {
        int rare = random.nextInt(40);
        int padding = random.nextInt(3) == 0 ? 2500 : 600;
        for (int n = 0; n < records; n++) {
            now += random.nextInt(3) == 0 ? random.nextInt(1000) : 0;
            int source = random.nextInt(40) == rare ? 2 : random.nextInt(2);
            int pad = random.nextInt(1500) == 0 ? 60_000 + random.nextInt(100_000) : random.nextInt(padding);
            long address = loom.push(sources[source], payload(pad));
            if (address < 0) {
                throw new AssertionError("refused: status=" + address);
            }
        }
    }

    private byte[] payload(int pad) {
        Long u = random.nextInt(10) == 0 ? null : integer();
        Double d = random.nextInt(10) == 0 ? null : number();
        return Row.encode(integer(), u, d, (float) number(), pad);
    }

    /** Of several shapes, so that a chunk may have equal values, few, narrow, wide, or anything. */
    long integer() {
        return switch (shape) {
            case 0 -> random.nextInt(4);
            case 1 -> 100 + random.nextInt(50) + (random.nextInt(500) == 0 ? 10_000 : 0);
            case 2 -> now / 1000 + random.nextInt(20);
            case 3 -> (long) Math.exp(random.nextDouble() * 40);
            case 4 -> EDGES[random.nextInt(EDGES.length)] + random.nextInt(3) - 1;
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    double number() {
        return switch (random.nextInt(30)) {
            case 0 -> Double.NaN;
            case 1 -> random.nextBoolean() ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
            case 2 -> -0.0;
            case 3 -> random.nextBoolean() ? Double.MIN_VALUE : -Double.MAX_VALUE;
            case 4 -> 0.1;
            default -> shape == 0 ? random.nextInt(3) : shape < 3 ? random.nextGaussian() : integer();
        };
    }

    private void defineIndex() {
        int source = sources[random.nextInt(SOURCES)];
        IndexFunction function = function();
        try {
            if (random.nextInt(6) == 0) {
                List<String> by = random.nextBoolean() ? List.of("i") : List.of("f", "u");
                loom.defineIndex(source, "index-" + names++, function, bins(function.type()), by);
            } else if (random.nextInt(8) == 0) {
                loom.defineEventTimeIndex(source, "index-" + names++, function);
            } else {
                loom.defineIndex(source, "index-" + names++, function, bins(function.type()));
            }
        } catch (IllegalArgumentException e) {
            // bins that the type does not have
        }
    }

    private IndexFunction function() {
        return switch (random.nextInt(9)) {
            case 0, 1 -> IndexFunction.field(Row.FORMAT, "i");
            case 2 -> IndexFunction.field(Row.FORMAT, "i", ValueType.F64, ValueUnit.NONE);
            case 3 -> IndexFunction.field(Row.FORMAT, "u");
            case 4 -> IndexFunction.field(Row.FORMAT, "u", ValueType.F64, ValueUnit.NONE);
            case 5, 6 -> IndexFunction.field(Row.FORMAT, "d");
            case 7 -> IndexFunction.field(Row.FORMAT, "f");
            default -> Row.lambda();
        };
    }

    private Bins bins(ValueType type) {
        Bins bins = plainBins(type);
        return random.nextInt(3) == 0 ? bins.withValues() : bins;
    }

    private Bins plainBins(ValueType type) {
        return switch (random.nextInt(6)) {
            case 0 -> Bins.logLinear();
            case 1 -> Bins.logLinear(random.nextInt(Bins.SCALE_MAX + 1));
            case 2 -> Bins.linear(0, 1 + random.nextInt(1000), 1 + random.nextInt(50));
            case 3 -> Bins.edges(10, 15, 20);
            case 4 -> type == ValueType.F64 ? Bins.edges(-1.5, 0.1, 3) : Bins.edges(1, 1L << 53, Long.MAX_VALUE);
            default -> Bins.match(random.nextInt(4));
        };
    }

    private void closeIndex() {
        List<Index> all = loom.indexes();
        if (!all.isEmpty()) {
            loom.closeIndex(all.get(random.nextInt(all.size())).id());
        }
    }

    private void reopen() {
        closeLoom();
        if (random.nextInt(4) == 0) {
            loseIndexFiles();
        }
        loom = open();
        supplyLambdas();
    }

    private void supplyLambdas() {
        for (Index index : loom.indexes()) {
            // one that is not supplied is to be missed for some time
            if (!index.closed() && index.function().isLambda() && random.nextBoolean()) {
                if (index.key() != null) {
                    List<String> by = index.key().fields();
                    loom.defineIndex(index.sourceId(), index.name(), Row.lambda(), index.bins(), by);
                } else if (index.kind() == Index.Kind.VALUE) {
                    loom.defineIndex(index.sourceId(), index.name(), Row.lambda(), index.bins());
                } else {
                    loom.defineEventTimeIndex(index.sourceId(), index.name(), Row.lambda());
                }
            }
        }
    }

    /** As after a power cut: without what the rings alone held, and with directories to be written again. */
    private void goOnInCopy() {
        Path copy = parent.resolve("copy-" + copies++);
        loom.force();
        push(random.nextInt(300));
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(directory.relativize(file).toString()));
            }
            closeLoom();
            directory = copy;
            if (random.nextBoolean()) {
                cut(copy.resolve("time"));
            }
            if (random.nextInt(4) == 0) {
                cut(copy.resolve("chunk"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        loom = open();
        supplyLambdas();
    }

    private void loseIndexFiles() {
        for (String log : random.nextBoolean() ? List.of("time", "chunk") : List.of("time")) {
            try (Stream<Path> files = Files.list(directory.resolve(log))) {
                boolean all = random.nextBoolean();
                for (Path file : files.toList()) {
                    if (all || random.nextInt(3) == 0) {
                        Files.delete(file);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Loses the end of a log of indexes. */
    private void cut(Path log) throws IOException {
        try (Stream<Path> files = Files.list(log)) {
            Path last = files.sorted().reduce((a, b) -> b).orElse(null);
            if (last != null) {
                byte[] bytes = Files.readAllBytes(last);
                for (int at = Math.max(0, bytes.length - (1 << 16)); at < bytes.length; at++) {
                    bytes[at] = (byte) random.nextInt();
                }
                Files.write(last, bytes);
            }
        }
    }

    /** A function of an index that can be read, also if nobody has supplied it to the store. */
    static @Nullable Index readable(Index index) {
        return index.function().isReadable() ? index : index.supply(Row.lambda());
    }

    @Override
    public void close() {
        closeLoom();
    }
}
