package dev.loom.otlp.wire;

import static dev.loom.otlp.wire.WireType.BITS;
import static dev.loom.otlp.wire.WireType.LENGTH;

/**
 * The tags of what surrounds the records, the same for the three signals: requests, ResourceX and ScopeX, where X is Logs,
 * Spans or Metrics.
 *
 * <p>A tag is the field's number and its wire type: {@code number << 3 | type}.
 */
public final class ExportTags {
    private ExportTags() {}

    public static final class Request {
        public static final int RESOURCES = (1 << BITS) | LENGTH;

        private Request() {}
    }

    /** ResourceLogs, ResourceSpans and ResourceMetrics. */
    public static final class ResourceEnvelope {
        public static final int RESOURCE = (1 << BITS) | LENGTH;
        public static final int SCOPES = (2 << BITS) | LENGTH;
        public static final int SCHEMA_URL = (3 << BITS) | LENGTH;

        private ResourceEnvelope() {}
    }

    /** ScopeLogs, ScopeSpans and ScopeMetrics; items are log records, spans and metrics. */
    public static final class ScopeEnvelope {
        public static final int SCOPE = (1 << BITS) | LENGTH;
        public static final int ITEMS = (2 << BITS) | LENGTH;
        public static final int SCHEMA_URL = (3 << BITS) | LENGTH;

        private ScopeEnvelope() {}
    }
}
