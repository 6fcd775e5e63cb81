package dev.loom.bench.search;

import java.util.List;

/**
 * What a side answered.
 *
 * @param elapsedNs as the side's own process saw it
 * @param count the records counted, or how many ids there are
 * @param ids of the newest records, newest first; none of a count
 */
public record Answer(long elapsedNs, long count, List<String> ids) {
    /** @throws IllegalStateException unless it is the expected one */
    void check(String side, SearchQuestion question, Answer expected) {
        if (count != expected.count || !ids.equals(expected.ids)) {
            throw new IllegalStateException("answer is wrong: side=" + side + ", question=" + question + ", answer="
                    + count + " " + ids + ", expected=" + expected.count + " " + expected.ids);
        }
    }
}
