package dev.loom.server.http;

import dev.loom.query.model.Completeness;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What answers lack, in words for people. */
public final class MissingText {
    /** Of records that an answer by event time leaves out. How often they were met says nothing. */
    public static final String WITHOUT_TIME = "records without a time are left out";

    /** Of lists of values, and of groups by them. */
    public static final String LONG_VALUES = "values longer than 4,096 bytes are left out";

    private MissingText() {}

    /** One text for each kind of loss; none if the answer is complete. */
    public static List<String> of(Completeness missing) {
        List<String> texts = new ArrayList<>();
        if (missing.limit() != Completeness.Limit.NONE) {
            texts.add("the query ended early, limit: " + missing.limit().name().toLowerCase(Locale.ROOT));
        }
        if (missing.lost() > 0) {
            texts.add("records lost in the range: " + missing.lost());
        }
        if (missing.damagedPages() > 0) {
            texts.add("damaged pages in the range: " + missing.damagedPages());
        }
        if (missing.expired()) {
            texts.add("part of the range is no longer retained");
        }
        return texts;
    }
}
