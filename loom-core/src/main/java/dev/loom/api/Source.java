package dev.loom.api;

import dev.loom.format.PayloadFormat;
import java.util.Map;

/**
 * A source of records as the schema knows it.
 *
 * @param id 1 to 65,535, never reused in a store; 0 is Loom's own source
 * @param name unique among the sources that are open
 * @param format the format of its payloads
 * @param closed whether it no longer takes records
 * @param attributes stored with the source; not interpreted by the store
 */
public record Source(int id, String name, PayloadFormat format, boolean closed, Map<String, String> attributes) {
    public Source {
        attributes = Map.copyOf(attributes);
    }
}
