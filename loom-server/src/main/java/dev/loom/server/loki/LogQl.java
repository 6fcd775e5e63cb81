package dev.loom.server.loki;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A query in LogQL, as an immutable tree. {@code toString()} gives a query that parses to an equal tree, positions aside. A position is
 * the offset of a part in the query's text, in characters.
 */
sealed interface LogQl {
    /** The labels of streams, which {@code without} leaves. */
    List<String> STREAM_LABELS = List.of(Streams.SOURCE, Streams.SERVICE_NAME, Streams.LEVEL);

    /** How a text is compared. */
    enum Match {
        EQUAL("="),
        NOT_EQUAL("!="),
        REGEX("=~"),
        NOT_REGEX("!~");

        private final String text;

        Match(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }

        boolean isNegative() {
            return this == NOT_EQUAL || this == NOT_REGEX;
        }

        boolean isRegex() {
            return this == REGEX || this == NOT_REGEX;
        }
    }

    /** What a label has to be; an absent label is the empty text. A regular expression has to match all of it. */
    record Matcher(String label, Match match, String value, int position) implements LabelFilter {
        @Override
        public String toString() {
            return label + match + LogQlLexer.quoted(value);
        }
    }

    /** A condition on labels and fields. */
    sealed interface LabelFilter {
        /** Both, or any of both. */
        record Junction(LabelFilter left, boolean and, LabelFilter right) implements LabelFilter {
            @Override
            public String toString() {
                return "(" + left + (and ? " and " : " or ") + right + ")";
            }
        }

        /**
         * Compares a number.
         *
         * @param operator as expressions write it
         * @param number with its unit multiplied in: nanoseconds or bytes
         */
        record Comparison(String label, String operator, BigDecimal number, Unit unit, int position)
                implements LabelFilter {
            @Override
            public String toString() {
                return label + operator + unit.text(number);
            }
        }
    }

    /** The unit of a number. */
    enum Unit {
        NONE,
        NANOSECONDS,
        BYTES;

        String text(BigDecimal number) {
            return number.toPlainString() + (this == NONE ? "" : this == BYTES ? "B" : "ns");
        }
    }

    /** What a pipeline does with each line. */
    sealed interface Stage {
        /** The line contains, or matches, one of the texts; or none of them. */
        record LineFilter(Match match, List<String> texts, int position) implements Stage {
            public LineFilter {
                texts = List.copyOf(texts);
            }

            @Override
            public String toString() {
                String operator = switch (match) {
                    case EQUAL -> "|=";
                    case NOT_EQUAL -> "!=";
                    case REGEX -> "|~";
                    case NOT_REGEX -> "!~";
                };
                return operator + " " + texts.stream().map(LogQlLexer::quoted).collect(Collectors.joining(" or "));
            }
        }

        /** Gives the fields of lines that are JSON names. */
        record Json(List<Extraction> extractions, int position) implements Stage {
            public Json {
                extractions = List.copyOf(extractions);
            }

            /** Gives a field a label. */
            record Extraction(String label, String path) {
                @Override
                public String toString() {
                    return label + "=" + LogQlLexer.quoted(path);
                }
            }

            @Override
            public String toString() {
                return "| json"
                        + (extractions.isEmpty() ? "" : " ")
                        + extractions.stream().map(Extraction::toString).collect(Collectors.joining(", "));
            }
        }

        /** Labels and fields meet a condition. */
        record Labels(LabelFilter filter) implements Stage {
            @Override
            public String toString() {
                return "| " + filter;
            }
        }

        /** Drops labels that lines here never have, such as {@code __error__}. */
        record Drop(List<String> labels) implements Stage {
            public Drop {
                labels = List.copyOf(labels);
            }

            @Override
            public String toString() {
                return "| drop " + String.join(", ", labels);
            }
        }
    }

    /** The lines of some streams that pass a pipeline. */
    record Selection(List<Matcher> matchers, List<Stage> stages) implements LogQl {
        public Selection {
            matchers = List.copyOf(matchers);
            stages = List.copyOf(stages);
        }

        @Override
        public String toString() {
            return matchers.stream().map(Matcher::toString).collect(Collectors.joining(", ", "{", "}"))
                    + stages.stream().map(stage -> " " + stage).collect(Collectors.joining());
        }
    }

    /** The labels of series: those named, or the others. */
    record Grouping(boolean without, List<String> labels) {
        public Grouping {
            labels = List.copyOf(labels);
        }

        /** The labels that series with some labels keep. */
        List<String> of(List<String> of) {
            return without
                    ? of.stream().filter(label -> !labels.contains(label)).toList()
                    : labels;
        }

        @Override
        public String toString() {
            return (without ? "without (" : "by (") + String.join(", ", labels) + ")";
        }
    }

    /** What is computed of the lines in a range of time before each point. */
    enum RangeOperation {
        COUNT_OVER_TIME,
        RATE,
        SUM_OVER_TIME,
        AVG_OVER_TIME,
        MIN_OVER_TIME,
        MAX_OVER_TIME,
        QUANTILE_OVER_TIME;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether Loki lets it have a grouping of its own. */
        boolean groups() {
            return this == AVG_OVER_TIME
                    || this == MIN_OVER_TIME
                    || this == MAX_OVER_TIME
                    || this == QUANTILE_OVER_TIME;
        }
    }

    /**
     * A series for each group of lines.
     *
     * @param quantile of {@link RangeOperation#QUANTILE_OVER_TIME}, from 0 to 1
     * @param unwrap the label whose numbers are used; null to count lines
     * @param rangeNs how far a point looks back, itself included
     * @param offsetNs how much earlier a point looks
     * @param grouping null for the labels of streams
     */
    record RangeAggregation(
            RangeOperation operation,
            @Nullable BigDecimal quantile,
            Selection selection,
            @Nullable String unwrap,
            long rangeNs,
            long offsetNs,
            @Nullable Grouping grouping,
            int position)
            implements LogQl {
        @Override
        public String toString() {
            return operation + "("
                    + (quantile == null ? "" : quantile.toPlainString() + ", ")
                    + selection
                    + (unwrap == null ? "" : " | unwrap " + unwrap)
                    + " [" + rangeNs + "ns]"
                    + (offsetNs == 0 ? "" : " offset " + offsetNs + "ns")
                    + ")"
                    + (grouping == null ? "" : " " + grouping);
        }
    }

    /** How series are put together, point by point. */
    enum VectorOperation {
        SUM,
        AVG,
        MIN,
        MAX,
        COUNT,
        TOPK,
        BOTTOMK;

        boolean selects() {
            return this == TOPK || this == BOTTOMK;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Puts series together.
     *
     * @param count how many {@code topk} and {@code bottomk} keep; otherwise 0
     * @param grouping null for one group of all
     */
    record VectorAggregation(
            VectorOperation operation,
            int count,
            LogQl of,
            @Nullable Grouping grouping,
            int position) implements LogQl {
        @Override
        public String toString() {
            return operation
                    + (grouping == null ? "" : " " + grouping + " ")
                    + "(" + (operation.selects() ? count + ", " : "") + of + ")";
        }
    }

    /**
     * Calculates point by point.
     *
     * @param operator one of {@code + - * / % ^}
     */
    record Calculation(LogQl left, char operator, LogQl right, int position) implements LogQl {
        @Override
        public String toString() {
            return "(" + left + " " + operator + " " + right + ")";
        }
    }

    /** A number. */
    record Scalar(double value) implements LogQl {
        @Override
        public String toString() {
            return Numbers.text(value);
        }
    }

    /** A series without labels that has one value. */
    record Vector(double value) implements LogQl {
        @Override
        public String toString() {
            return "vector(" + Numbers.text(value) + ")";
        }
    }
}
