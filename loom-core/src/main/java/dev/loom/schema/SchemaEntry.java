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
     * @param attributes stored for the definer
     */
    record SourceDefined(int id, String name, String format, Map<String, String> attributes) implements SchemaEntry {
        static final int TYPE = 1;

        @Override
        public int type() {
            return TYPE;
        }
    }

    /** The attributes of a source are replaced. */
    record SourceChanged(int id, Map<String, String> attributes) implements SchemaEntry {
        static final int TYPE = 5;

        @Override
        public int type() {
            return TYPE;
        }
    }

    /**
     * The limits of the store are set.
     *
     * @param maxBytes the most that its segment files may take; {@code Long.MAX_VALUE} for no limit
     * @param maxAgeNs segments whose records are all older are deleted; {@code Long.MAX_VALUE} for no limit
     * @param minFreeBytes the free space of the file system below which the oldest segments are deleted; 0 for none
     */
    record RetentionSet(long maxBytes, long maxAgeNs, long minFreeBytes) implements SchemaEntry {
        static final int TYPE = 6;

        /** Nothing is deleted. */
        public static final RetentionSet NONE = new RetentionSet(Long.MAX_VALUE, Long.MAX_VALUE, 0);

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

    /**
     * An index is defined.
     *
     * @param kind the text form of its kind
     * @param function the text form of its function
     * @param bins the text form of its bins
     * @param fromAddress record log chunks before this address are not in it
     */
    record IndexDefined(int id, int sourceId, String name, String kind, String function, String bins, long fromAddress)
            implements SchemaEntry {
        static final int TYPE = 3;

        @Override
        public int type() {
            return TYPE;
        }
    }

    /** An index is closed. */
    record IndexClosed(int id) implements SchemaEntry {
        static final int TYPE = 4;

        @Override
        public int type() {
            return TYPE;
        }
    }
}
