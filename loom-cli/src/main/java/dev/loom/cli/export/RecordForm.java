package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.server.json.RecordPrinter;

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

    /** Writes the records of the source, once those of the source before are written. */
    abstract RecordPrinter printer(Source source);

    /** Writes what was held back, and says what was left out or assumed. */
    void finish() {}
}
