package dev.loom.query.diff;

import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.diff.FieldCounts.Single;
import dev.loom.query.model.QueryMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** One run of a comparison: finds, counts, combines and ranks. For one thread. */
public final class DiffRun {
    /** Findings with a greater chance of being one of chance are left out: the chance that any of all is one. */
    public static final double PROBABILITY_MAX = 0.05;

    /** So that a field with many values leaves room for others among the parts of combinations. */
    private static final int PARTS_OF_FIELD_MAX = 4;

    private static final int[] QUARTILES = {25, 50, 75};

    private final DiffTerms terms;
    private final DiffPasses passes;
    private final FieldRegister register;
    private final List<Found> found = new ArrayList<>();
    private boolean counted;
    private boolean combined;
    private long supportMin;
    private long sketchError;
    private double comparisons;
    private long[] records = new long[2];

    /**
     * A finding.
     *
     * @param parts of different fields
     * @param same parts that hold the same records as a single part, in both sets
     * @param probability that chance finds any like it, 0 to 1
     * @param shift how numbers are distributed in both sets; null if the finding is no range
     */
    public record Found(
            List<DiffPart> parts,
            Contingency counts,
            List<DiffPart> same,
            double probability,
            @Nullable Shift shift) {}

    /**
     * How the numbers of a field are distributed in both sets.
     *
     * @param distance the greatest difference of the shares of numbers below some number, 0 to 1
     * @param selected quartiles, by samples
     * @param against quartiles, by samples; empty if there are none
     */
    public record Shift(double distance, List<Double> selected, List<Double> against) {}

    private DiffRun(DiffTerms terms, DiffPasses passes, FieldRegister register) {
        this.terms = terms;
        this.passes = passes;
        this.register = register;
    }

    /** Runs a comparison; its memory is free when it returns. */
    public static DiffRun run(
            DiffTerms terms, DiffPasses passes, PayloadFormat format, RecordLookup lookup, QueryMemory memory) {
        FieldRegister register = new FieldRegister(format, lookup, memory, terms.ignored(), terms.fieldsMax());
        try {
            register.begin(terms.fields());
            DiffRun run = new DiffRun(terms, passes, register);
            run.run();
            return run;
        } finally {
            register.release();
        }
    }

    private void run() {
        boolean whole = passes.find(register);
        records = passes.records();
        if (!whole || records[DiffPasses.SELECTED] == 0 || records[DiffPasses.AGAINST] == 0) {
            counted = whole;
            combined = whole;
            return;
        }
        supportMin = Math.max(1, (long) Math.ceil(terms.supportMin() * records[DiffPasses.SELECTED]));
        List<FieldCounts> fields = new ArrayList<>();
        for (DiffField field : register.fields()) {
            comparisons += field.distinct(passes.sampled(), records);
            sketchError = Math.max(sketchError, field.values().error());
            FieldCounts counts = new FieldCounts(field, passes.sampled(), supportMin);
            if (!counts.isEmpty(supportMin)) {
                fields.add(counts);
            }
        }
        counted = passes.count(fields);
        if (counted) {
            rank(fields);
        }
    }

    private void rank(List<FieldCounts> fields) {
        Map<DiffPart, Double> tests = new HashMap<>();
        List<Single> singles = new ArrayList<>();
        for (FieldCounts field : fields) {
            double distinct = field.field().distinct(passes.sampled(), records);
            comparisons += field.ranges();
            for (Single single : field.singles(records[0], records[1], supportMin)) {
                tests.put(single.part(), distinct + field.ranges());
                singles.add(single);
            }
        }
        singles.sort(Comparator.<Single>comparingDouble(each -> -each.counted().information())
                .thenComparing(each -> each.part().name()));
        int families = register.fields().size() + (terms.order() > 1 ? 1 : 0);
        PartCombinations parts = new PartCombinations(candidates(singles));
        combined = terms.order() < 2 || parts.parts().size() < 2 || passes.combine(parts);
        List<Single> shown = combined ? addCombinations(parts, families, singles) : singles;
        ToDoubleFunction<Single> chance =
                single -> probability(single.counted(), families * tests.getOrDefault(single.part(), 1.0));
        for (Single single : shown) {
            double probability = chance.applyAsDouble(single);
            if (probability < PROBABILITY_MAX) {
                found.add(new Found(
                        List.of(single.part()),
                        single.counted(),
                        combined
                                ? same(parts, single, each -> chance.applyAsDouble(each) < PROBABILITY_MAX)
                                : List.of(),
                        probability,
                        shift(single)));
            }
        }
        found.sort(Comparator.<Found>comparingDouble(each -> -each.counts().information())
                .thenComparing(each -> each.parts().size())
                .thenComparing(each -> each.parts().get(0).name()));
    }

    /** The probability by chance, of as many comparisons as there were (Bonferroni); 1 if the ratio may be 1 or less. */
    private static double probability(Contingency counts, double tests) {
        return counts.riskRatio().low() <= 1
                ? 1
                : Math.min(1, Math.exp(counts.logProbability() + Math.log(Math.max(1, tests))));
    }

    /** The parts of combinations: those that tell most. */
    private static List<Single> candidates(List<Single> singles) {
        List<Single> parts = new ArrayList<>();
        Map<DiffField, Integer> ofField = new HashMap<>();
        for (Single single : singles) {
            if (parts.size() < PartCombinations.PARTS_MAX
                    && single.counted().riskRatio().low() > 1
                    && ofField.merge(single.part().field(), 1, Integer::sum) <= PARTS_OF_FIELD_MAX) {
                parts.add(single);
            }
        }
        return parts;
    }

    /** Adds pairs and triples; returns the singles without those that hold the same records as one before. */
    private List<Single> addCombinations(PartCombinations parts, int families, List<Single> singles) {
        List<Single> each = parts.parts();
        List<Single> distinct = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < each.size(); i++) {
            boolean repeated = false;
            for (int earlier : places) {
                repeated |= isSame(parts, earlier, i);
            }
            if (!repeated) {
                places.add(i);
            }
        }
        singles.forEach(single -> {
            int place = each.indexOf(single);
            if (place < 0 || places.contains(place)) {
                distinct.add(single);
            }
        });
        List<int[]> sets = new ArrayList<>();
        for (int a = 0; a < places.size(); a++) {
            for (int b = a + 1; b < places.size(); b++) {
                if (!parts.differ(places.get(a), places.get(b))) {
                    continue;
                }
                sets.add(new int[] {places.get(a), places.get(b)});
                for (int c = b + 1; c < places.size() && terms.order() > 2; c++) {
                    if (parts.differ(places.get(a), places.get(c)) && parts.differ(places.get(b), places.get(c))) {
                        sets.add(new int[] {places.get(a), places.get(b), places.get(c)});
                    }
                }
            }
        }
        comparisons += sets.size();
        double tests = (double) families * sets.size();
        for (int[] set : sets) {
            Contingency counts = counts(parts, set);
            double probability = counts.selected() < supportMin ? 1 : probability(counts, tests);
            if (probability < PROBABILITY_MAX && tellsMore(parts, set, counts, families)) {
                List<DiffPart> of = new ArrayList<>();
                for (int part : set) {
                    of.add(each.get(part).part());
                }
                found.add(new Found(of, counts, List.of(), probability, null));
            }
        }
        return distinct;
    }

    private static Contingency counts(PartCombinations parts, int... set) {
        return switch (set.length) {
            case 1 -> parts.parts().get(set[0]).counted();
            case 2 -> parts.pair(set[0], set[1]);
            default -> parts.triple(set[0], set[1], set[2]);
        };
    }

    /** Whether each part adds something: among the records of the others, it is more frequent in the chosen ones. */
    private static boolean tellsMore(PartCombinations parts, int[] set, Contingency counts, int families) {
        double tests = (double) families * parts.parts().size();
        for (int without = 0; without < set.length; without++) {
            int[] rest = new int[set.length - 1];
            for (int i = 0; i < rest.length; i++) {
                rest[i] = set[i < without ? i : i + 1];
            }
            Contingency others = counts(parts, rest);
            Contingency within =
                    new Contingency(counts.selected(), others.selected(), counts.against(), others.against());
            if (counts.information() <= others.information()
                    || !within.isMoreFrequent()
                    || probability(within, tests) >= PROBABILITY_MAX) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(PartCombinations parts, int left, int right) {
        Contingency one = counts(parts, left);
        Contingency other = counts(parts, right);
        if (!one.equals(other) || !parts.differ(left, right)) {
            return false;
        }
        return parts.pair(Math.min(left, right), Math.max(left, right)).equals(one);
    }

    private static List<DiffPart> same(PartCombinations parts, Single single, Predicate<Single> significant) {
        int place = parts.parts().indexOf(single);
        List<DiffPart> same = new ArrayList<>();
        for (int i = 0; place >= 0 && i < parts.parts().size(); i++) {
            if (i != place
                    && isSame(parts, place, i)
                    && significant.test(parts.parts().get(i))) {
                same.add(parts.parts().get(i).part());
            }
        }
        return same;
    }

    private @Nullable Shift shift(Single single) {
        Double distance = single.distance();
        return distance == null
                ? null
                : new Shift(
                        distance,
                        quartiles(single.part().field(), DiffPasses.SELECTED),
                        quartiles(single.part().field(), DiffPasses.AGAINST));
    }

    private List<Double> quartiles(DiffField field, int set) {
        double[] numbers = field.numbers(set, passes.sampled()[set]);
        List<Double> quartiles = new ArrayList<>();
        for (int quartile : QUARTILES) {
            if (numbers.length > 0) {
                quartiles.add(numbers[Math.max(0, (int) Math.ceil(numbers.length * quartile / 100.0) - 1)]);
            }
        }
        return quartiles;
    }

    /** What was found, what tells most first. */
    public List<Found> found() {
        return found;
    }

    /** The number of chosen records. */
    public long selected() {
        return records[DiffPasses.SELECTED];
    }

    /** The number of records that they are compared with. */
    public long against() {
        return records[DiffPasses.AGAINST];
    }

    /** The names of the fields that were compared. */
    public List<String> fields() {
        return register.fields().stream().map(DiffField::name).sorted().toList();
    }

    /** Whether there were more fields than the cap. */
    public boolean hasMoreFields() {
        return register.isFull();
    }

    /** The fewest chosen records of a finding. */
    public long supportMin() {
        return supportMin;
    }

    /** A value with no more chosen records than this may be missing. */
    public long sketchError() {
        return sketchError;
    }

    /** How many comparisons there were: about all values, all ranges and combinations that could have been found. */
    public double comparisons() {
        return comparisons;
    }

    /** Whether all records were counted; otherwise there is no finding. */
    public boolean isCounted() {
        return counted;
    }

    /** Whether combinations were counted; otherwise there are only single values and ranges. */
    public boolean isCombined() {
        return combined;
    }
}
