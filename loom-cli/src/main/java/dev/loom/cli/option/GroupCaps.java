package dev.loom.cli.option;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many groups a query may have and show, and what becomes of the rest. */
public final class GroupCaps {
    /** What becomes of groups beyond the cap. */
    enum Rest {
        OTHER;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(names = "--limit", paramLabel = "N", description = "At most N of them; the rest is one row more, (other).")
    private @Nullable Long limit;

    @Option(
            names = "--groups-max",
            paramLabel = "N",
            description = "The most different ones to hold, by default 10000; more are an error (exit code 4).")
    private @Nullable Long groupsMax;

    @Option(
            names = "--rest",
            paramLabel = "REST",
            description = "With ${COMPLETION-CANDIDATES}, those beyond --groups-max are counted in the row (other).")
    private @Nullable Rest rest;

    public @Nullable Long limit() {
        return limit;
    }

    public @Nullable Long groupsMax() {
        return groupsMax;
    }

    public boolean restAsOther() {
        return rest == Rest.OTHER;
    }
}
