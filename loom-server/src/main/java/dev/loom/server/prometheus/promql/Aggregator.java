package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Brings the series of groups together, at one moment. For one thread. */
final class Aggregator {
    private final Expr.Aggregate aggregate;
    private final Remarks remarks;
    private final LabelCache labels;
    private final Set<String> names;

    Aggregator(Expr.Aggregate aggregate, Remarks remarks, LabelCache labels) {
        this.aggregate = aggregate;
        this.remarks = remarks;
        this.labels = labels;
        names = new HashSet<>(aggregate.labels());
    }

    /** @param parameter of those that take one */
    List<Element> apply(List<Element> elements, double parameter) {
        Map<Labels, List<Element>> groups = new LinkedHashMap<>();
        for (Element element : elements) {
            Labels group = labels.get(
                    aggregate,
                    element.labels(),
                    of -> aggregate.without() ? of.without(names) : of.only(names::contains));
            groups.computeIfAbsent(group, any -> new ArrayList<>()).add(element);
        }
        List<Element> result = new ArrayList<>();
        groups.forEach((group, members) -> {
            Aggregation operator = aggregate.operator();
            if (operator == Aggregation.TOPK || operator == Aggregation.BOTTOMK) {
                result.addAll(first(members, parameter));
            } else {
                Element one = one(group, members, parameter);
                if (one != null) {
                    result.add(one);
                }
            }
        });
        return result;
    }

    private @Nullable Element one(Labels group, List<Element> members, double parameter) {
        return switch (aggregate.operator()) {
            case COUNT -> new Element(group, members.size());
            case GROUP -> new Element(group, 1);
            case SUM, AVG -> sum(group, members);
            default -> {
                double[] values =
                        numbers(members).stream().mapToDouble(Element::value).toArray();
                yield values.length == 0 ? null : new Element(group, ofNumbers(values, parameter));
            }
        };
    }

    private List<Element> numbers(List<Element> members) {
        List<Element> numbers =
                members.stream().filter(each -> each.histogram() == null).toList();
        if (numbers.size() < members.size()) {
            remarks.inform("ignored histograms in an aggregation by " + aggregate.operator());
        }
        return numbers;
    }

    private @Nullable Element sum(Labels group, List<Element> members) {
        boolean mean = aggregate.operator() == Aggregation.AVG;
        long histograms =
                members.stream().filter(each -> each.histogram() != null).count();
        if (histograms == 0) {
            if (mean) {
                CompensatedSum.Mean of = new CompensatedSum.Mean();
                members.forEach(each -> of.add(each.value()));
                return new Element(group, of.value());
            }
            CompensatedSum sum = new CompensatedSum();
            members.forEach(each -> sum.add(each.value()));
            return new Element(group, sum.value());
        } else if (histograms < members.size()) {
            remarks.warn("left out a group of both numbers and histograms: " + group);
            return null;
        }
        NativeHistogram sum = null;
        for (Element member : members) {
            NativeHistogram each = member.histogram();
            if (sum == null || each == null) {
                sum = each;
            } else if (sum.isCompatible(each)) {
                sum = sum.plus(each);
            } else {
                remarks.warn("left out a group of histograms whose buckets can't be brought together: " + group);
                return null;
            }
        }
        return sum == null ? null : new Element(group, mean ? sum.dividedBy(members.size()) : sum);
    }

    private double ofNumbers(double[] values, double parameter) {
        switch (aggregate.operator()) {
            case QUANTILE -> {
                return Quantiles.ofValues(parameter, values);
            }
            case MIN, MAX -> {
                double found = values[0];
                for (double value : values) {
                    boolean beyond = aggregate.operator() == Aggregation.MIN ? found > value : found < value;
                    found = beyond || Double.isNaN(found) ? value : found;
                }
                return found;
            }
            default -> {
                CompensatedSum.Variance variance = new CompensatedSum.Variance();
                for (double value : values) {
                    variance.add(value);
                }
                return aggregate.operator() == Aggregation.STDDEV ? Math.sqrt(variance.value()) : variance.value();
            }
        }
    }

    /** The greatest or least; of equal ones, those that come first. */
    private List<Element> first(List<Element> members, double parameter) {
        if (!(parameter >= 1)) {
            return List.of();
        }
        Comparator<Element> ascending = Comparator.comparingDouble(Element::value);
        Comparator<Element> order = aggregate.operator() == Aggregation.TOPK ? ascending.reversed() : ascending;
        Comparator<Element> nanLast = Comparator.comparing(each -> Double.isNaN(each.value()));
        return numbers(members).stream()
                .sorted(nanLast.thenComparing(order))
                .limit((long) parameter)
                .toList();
    }
}
