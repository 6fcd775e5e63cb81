package dev.loom.server.prometheus.promql;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operator between two values, at one moment. For one thread. */
final class BinaryOperation {
    private final Expr.Binary binary;
    private final Operator operator;
    private final LabelCache labels;
    private final Remarks remarks;
    private final Set<String> names;
    private final Object results = new Object();
    private final Object nameless = new Object();

    BinaryOperation(Expr.Binary binary, LabelCache labels, Remarks remarks) {
        this.binary = binary;
        this.labels = labels;
        this.remarks = remarks;
        operator = binary.operator();
        names = new HashSet<>(binary.matching().labels());
    }

    double ofScalars(double left, double right) {
        return operator.isComparison() ? (operator.holds(left, right) ? 1 : 0) : operator.apply(left, right);
    }

    /** @param scalarLeft whether the scalar is on the left side */
    List<Element> ofScalar(List<Element> vector, double scalar, boolean scalarLeft) {
        List<Element> result = new ArrayList<>();
        Labels none = Labels.NONE;
        for (Element element : vector) {
            Element other = new Element(none, scalar);
            Element one = scalarLeft ? combined(other, element) : combined(element, other);
            if (one != null) {
                // what a comparison chooses is of the vector, on whatever side that is
                Element kept = operator.isComparison() && !binary.bool() ? element : one;
                result.add(kept.with(
                        dropsName() ? labels.get(nameless, element.labels(), Labels::withoutName) : element.labels()));
            }
        }
        return result;
    }

    private boolean dropsName() {
        return binary.bool() || !operator.isComparison();
    }

    /** The result with the labels of the left side; null if there is none. */
    private @Nullable Element combined(Element left, Element right) {
        NativeHistogram a = left.histogram();
        NativeHistogram b = right.histogram();
        if (a != null || b != null) {
            return ofHistograms(left, right, a, b);
        } else if (operator.isComparison()) {
            boolean holds = operator.holds(left.value(), right.value());
            return binary.bool() ? left.with(holds ? 1.0 : 0.0) : holds ? left : null;
        }
        return left.with(operator.apply(left.value(), right.value()));
    }

    private @Nullable Element ofHistograms(
            Element left, Element right, @Nullable NativeHistogram a, @Nullable NativeHistogram b) {
        if (a != null && b != null) {
            switch (operator) {
                case PLUS, MINUS -> {
                    if (!a.isCompatible(b)) {
                        remarks.warn("left out histograms whose buckets can't be brought together: " + left.labels());
                        return null;
                    }
                    return new Element(left.labels(), operator == Operator.PLUS ? a.plus(b) : a.minus(b));
                }
                case EQUAL, NOT_EQUAL -> {
                    boolean holds = a.equals(b) == (operator == Operator.EQUAL);
                    return binary.bool() ? left.with(holds ? 1.0 : 0.0) : holds ? left : null;
                }
                default -> {}
            }
        } else if (a != null && (operator == Operator.TIMES || operator == Operator.BY)) {
            double by = right.value();
            return new Element(left.labels(), operator == Operator.TIMES ? a.times(by) : a.dividedBy(by));
        } else if (b != null && operator == Operator.TIMES) {
            return new Element(left.labels(), b.times(left.value()));
        }
        remarks.inform("ignored a histogram on one side of " + operator.text());
        return null;
    }

    private Labels signature(Labels of) {
        return labels.get(
                binary, of, each -> binary.matching().on() ? each.only(names::contains) : each.without(names));
    }

    List<Element> ofVectors(List<Element> left, List<Element> right) {
        if (operator.isSet()) {
            return ofSets(left, right);
        } else if (left.isEmpty() || right.isEmpty()) {
            return List.of();
        }
        Map<Labels, Element> partners = new HashMap<>();
        for (Element element : right) {
            Labels signature = signature(element.labels());
            Element other = partners.put(signature, element);
            if (other != null) {
                throw new EvaluationException("found duplicate series for the match group " + signature
                        + " on the right hand-side of the operation: [" + element.labels() + ", " + other.labels()
                        + "];many-to-many matching not allowed: matching labels must be unique on one side");
            }
        }
        Set<Labels> matched = new HashSet<>();
        List<Element> result = new ArrayList<>();
        for (Element element : left) {
            Labels signature = signature(element.labels());
            Element partner = partners.get(signature);
            if (partner == null) {
                continue;
            } else if (!matched.add(signature)) {
                throw new EvaluationException("multiple matches for labels " + signature
                        + ": many-to-one matching must be explicit (group_left/group_right), and is not supported");
            }
            Element one = combined(element, partner);
            if (one != null) {
                result.add(one.with(labels.get(results, element.labels(), this::resulting)));
            }
        }
        return result;
    }

    private Labels resulting(Labels of) {
        Labels named = dropsName() ? of.withoutName() : of;
        boolean on = binary.matching().on();
        return named.only(name -> names.contains(name) == on);
    }

    private List<Element> ofSets(List<Element> left, List<Element> right) {
        Set<Labels> found = new HashSet<>();
        (operator == Operator.OR ? left : right).forEach(each -> found.add(signature(each.labels())));
        List<Element> result = new ArrayList<>();
        if (operator == Operator.OR) {
            result.addAll(left);
            right.stream()
                    .filter(each -> !found.contains(signature(each.labels())))
                    .forEach(result::add);
        } else {
            boolean wanted = operator == Operator.AND;
            left.stream()
                    .filter(each -> found.contains(signature(each.labels())) == wanted)
                    .forEach(result::add);
        }
        return result;
    }
}
