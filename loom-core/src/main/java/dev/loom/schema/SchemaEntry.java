package dev.loom.schema;

import java.util.Map;

/** A change of the schema. */
public sealed interface SchemaEntry {
    /** The type code in the file; never 0. */
    int type();

    /**
     * A source is defined.
     *
     * @param format the text form of its payload format
     * @param attributes kept for whoever defined it
     */
    record SourceDefined(int id, String name, String format, Map<String, String> attributes) implements SchemaEntry {
        static final int TYPE = 1;

        @Override
        public int type() {
            return TYPE;
        }
    }

    /** A source is closed. */
    record SourceClosed(int id) implements SchemaEntry {
        static final int TYPE = 2;

        @Override
        public int type() {
            return TYPE;
        }
    }
}
