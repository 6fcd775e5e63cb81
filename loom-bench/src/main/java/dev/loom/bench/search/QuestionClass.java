package dev.loom.bench.search;

import java.util.List;

/** Questions whose times belong together, such as words that are rare. */
public record QuestionClass(Table table, String name, List<SearchQuestion> questions) {
    /** The tables of the paper's section 5.2, and estimates of the last one's counts. */
    public enum Table {
        FULL_TEXT("Table 1: full-text queries"),
        PREFIX("Table 2: prefix queries"),
        AND("Table 3: AND queries"),
        HISTOGRAM("Table 4: exact counts by time"),
        ESTIMATES("Estimates of counts by time, and the exact counts");

        private final String title;

        Table(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }
}
