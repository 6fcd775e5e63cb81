package dev.loom.server.api;

import dev.loom.server.http.ApiFailure;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The forms in which an answer is offered, the default first. */
enum AnswerForm {
    JSON_LINES("application/jsonl"),
    /** The lines as the elements of one array. */
    JSON_ARRAY("application/json"),
    CSV("text/csv"),
    ARROW("application/vnd.apache.arrow.stream");

    /** Weights that differ by a billionth differ by more than precisions do. */
    private static final double WEIGHT_UNIT = 1e10;

    private static final String ANY = "*/*";

    /** Only clients with many types send that many bytes. */
    private static final int ACCEPT_LENGTH_MAX = 4096;

    private final String type;

    AnswerForm(String type) {
        this.type = type;
    }

    /** The media type. */
    String type() {
        return type;
    }

    /** Whether it has columns, which are known before the rows. */
    boolean inColumns() {
        return this == CSV || this == ARROW;
    }

    /**
     * The form that a client prefers: of those with the greatest weight the one that it names most precisely, then the first.
     *
     * @param accept the header of the request; null for any form
     * @throws ApiFailure if none of them is accepted, or a weight is not from 0 to 1
     */
    static AnswerForm of(@Nullable String accept) {
        if (accept == null || accept.isBlank()) {
            return JSON_LINES;
        } else if (accept.length() > ACCEPT_LENGTH_MAX) {
            throw ApiFailure.badRequest("accept is too long: length=" + accept.length() + ", max=" + ACCEPT_LENGTH_MAX);
        }
        String[] ranges = accept.split(",", -1);
        AnswerForm best = null;
        double bestRank = 0;
        for (AnswerForm form : values()) {
            double rank = form.rank(ranges);
            if (rank > bestRank) {
                best = form;
                bestRank = rank;
            }
        }
        if (best == null) {
            String offered = Arrays.stream(values()).map(AnswerForm::type).collect(Collectors.joining(", "));
            throw new ApiFailure(
                    406,
                    "not_acceptable",
                    "no such form of answers: " + accept + "; offered=" + offered,
                    Map.of(
                            "offered",
                            Arrays.stream(values()).map(AnswerForm::type).toList()));
        }
        return best;
    }

    /** The weight of the most precise range that covers the form, and how precise it is; 0 if none does, or the weight is 0. */
    private double rank(String... ranges) {
        int precision = 0;
        double weight = 0;
        for (String range : ranges) {
            String[] parts = range.split(";", -1);
            int here = precision(parts[0].strip().toLowerCase(Locale.ROOT));
            double weighed = weight(parts, range);
            if (here > precision) {
                precision = here;
                weight = weighed;
            }
        }
        return weight == 0 ? 0 : weight * WEIGHT_UNIT + precision;
    }

    private int precision(String range) {
        if (range.equals(type)) {
            return 3;
        }
        String family = type.substring(0, type.indexOf('/'));
        return range.equals(family + "/*") ? 2 : range.equals(ANY) ? 1 : 0;
    }

    private static double weight(String[] parts, String range) {
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].strip().split("=", 2);
            if (pair[0].strip().equalsIgnoreCase("q")) {
                String weight = pair.length < 2 ? "" : pair[1].strip();
                // HTTP has one digit before the point; Java's own client before 17.0.12 writes none
                if (!weight.matches("\\d+\\.?\\d*|\\.\\d+") || Double.parseDouble(weight) > 1) {
                    throw ApiFailure.badRequest("accept has a weight that is not from 0 to 1: " + range.strip());
                }
                return Double.parseDouble(weight);
            }
        }
        return 1;
    }
}
