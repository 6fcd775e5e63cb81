package dev.loom.server.loki;

import dev.loom.query.model.Completeness;
import dev.loom.query.service.QueryReport;
import dev.loom.server.http.MissingText;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What the answers of a request lack, and what they cost. For one thread. */
final class Report {
    private final Set<String> warnings = new LinkedHashSet<>();
    private long bytesRead;
    private long recordsRead;
    private boolean timedOut;

    void add(String source, QueryReport report) {
        bytesRead += report.statistics().bytesRead();
        recordsRead += report.statistics().recordsReturned();
        Completeness lacks = report.completeness();
        MissingText.of(lacks).forEach(text -> warn(source, text));
        if (report.withoutTime() > 0) {
            warn(source, MissingText.WITHOUT_TIME);
        }
        timedOut |= lacks.limit() == Completeness.Limit.TIME;
    }

    /** Says what the answer lacks of a source. */
    void warn(String source, String warning) {
        warnings.add("incomplete answer: source=" + source + ": " + warning);
    }

    /** Says something of the answer. */
    void note(String warning) {
        warnings.add(warning);
    }

    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Whether the time was over before everything was found. */
    boolean timedOut() {
        return timedOut;
    }

    long bytesRead() {
        return bytesRead;
    }

    long recordsRead() {
        return recordsRead;
    }
}
