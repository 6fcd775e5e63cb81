package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.server.json.RecordPrinter;
import java.util.List;

/** How an export writes the records of its sources, one source after the other. For one thread. */
abstract class RecordForm {
    /** What the records must be, such as {@code packets}; for messages. */
    String kind() {
        return "records";
    }

    /** Whether the form can hold the records of the source. */
    boolean takes(Source source) {
        return true;
    }

    /**
     * Called with all sources before the first record.
     *
     * @throws dev.loom.cli.console.CommandFailure if the form can't hold them together
     */
    void begin(List<Source> sources) {}

    /** Writes the records of the source, once those of the source before are written. */
    abstract RecordPrinter printer(Source source);

    /**
     * Writes what was held back, and says what was left out or assumed.
     *
     * @return how many records were left out
     */
    long finish() {
        return 0;
    }
}
