package dev.loom.query.diff;

import dev.loom.query.diff.FieldCounts.Single;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The exact numbers of records with two or three of some parts. A record's parts are the bits of a mask; equal masks are counted
 * together, and only then in each pair and triple. For one thread.
 */
final class PartCombinations {
    /** The most parts: pairs of them are 276, triples 2,024. */
    static final int PARTS_MAX = 24;

    private static final int CACHE = 4096;
    private static final int MULTIPLIER = 0x9E3779B1;
    private static final int SHIFT = Integer.SIZE - 12;

    private final List<Single> parts;
    /** The fields of the parts, each once. */
    private final List<DiffField> fields = new ArrayList<>();

    private final int[] masks = new int[CACHE];
    private final long[][] cached = new long[2][CACHE];
    /** By the numbers of three parts in ascending order; a pair has the last one twice. */
    private final long[][] counts = new long[2][PARTS_MAX * PARTS_MAX * PARTS_MAX];

    PartCombinations(List<Single> parts) {
        this.parts = parts;
        for (Single part : parts) {
            if (!fields.contains(part.part().field())) {
                fields.add(part.part().field());
            }
        }
    }

    void add(int set, DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < fields.size(); i++) {
            fields.get(i).read(buffer, offset, length);
        }
        int mask = 0;
        for (int i = 0; i < parts.size(); i++) {
            mask |= parts.get(i).part().holds() ? 1 << i : 0;
        }
        if ((mask & (mask - 1)) == 0) {
            return;
        }
        int slot = (mask * MULTIPLIER) >>> SHIFT;
        if (masks[slot] != mask) {
            flush(slot);
            masks[slot] = mask;
        }
        cached[set][slot]++;
    }

    /** Counts what is cached. */
    void end() {
        for (int slot = 0; slot < CACHE; slot++) {
            flush(slot);
        }
    }

    private void flush(int slot) {
        for (int set = 0; set < 2; set++) {
            long count = cached[set][slot];
            if (count > 0) {
                flush(masks[slot], counts[set], count);
                cached[set][slot] = 0;
            }
        }
    }

    private static void flush(int mask, long[] into, long count) {
        for (int a = mask; a != 0; a &= a - 1) {
            int first = Integer.numberOfTrailingZeros(a);
            for (int b = a & (a - 1); b != 0; b &= b - 1) {
                int second = Integer.numberOfTrailingZeros(b);
                into[place(first, second, second)] += count;
                for (int c = b & (b - 1); c != 0; c &= c - 1) {
                    into[place(first, second, Integer.numberOfTrailingZeros(c))] += count;
                }
            }
        }
    }

    private static int place(int first, int second, int third) {
        return (first * PARTS_MAX + second) * PARTS_MAX + third;
    }

    /** What two parts, the first before the second, have in common. */
    Contingency pair(int first, int second) {
        return counted(place(first, second, second));
    }

    /** What three parts in ascending order have in common. */
    Contingency triple(int first, int second, int third) {
        return counted(place(first, second, third));
    }

    private Contingency counted(int place) {
        Contingency any = parts.get(0).counted();
        return new Contingency(counts[0][place], any.selectedOf(), counts[1][place], any.againstOf());
    }

    List<Single> parts() {
        return parts;
    }

    /** Whether two parts are of different fields. */
    boolean differ(int left, int right) {
        return parts.get(left).part().field() != parts.get(right).part().field();
    }
}
