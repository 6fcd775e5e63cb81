package dev.loom.faults;

import dev.loom.Loom;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The main class of a process that fills a store, says what it pushed, and waits to be killed, with the store open. */
final class UnclosedStoreProcess {
    static final String END = "end";

    private UnclosedStoreProcess() {}

    /** Arguments: directory, seed, whether the store is to be small. */
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        Random random = new Random(Long.parseLong(args[1]));
        Loom loom = Loom.open(DamageTest.config(Path.of(args[0])));
        DamageTest.define(loom);
        boolean small = Boolean.parseBoolean(args[2]);
        // each ends a page, and there are more than the ring has room for
        Set<Integer> forced = small ? numbers(9, 1) : numbers(11, 20);
        DamageTest.fill(
                loom,
                random,
                small,
                forced,
                (source, length, address) -> out.println(source + " " + length + " " + address));
        // of what was sealed all is evicted then; of the rest nothing
        long sealed = loom.info().records().sealed();
        while (loom.info().records().evicted() < sealed) {
            Thread.onSpinWait();
        }
        out.println(END);
        out.flush();
        while (System.in.read() >= 0) {}
        Thread.currentThread().join();
    }

    private static Set<Integer> numbers(int count, int step) {
        return IntStream.range(0, count).mapToObj(i -> i * step).collect(Collectors.toSet());
    }
}
