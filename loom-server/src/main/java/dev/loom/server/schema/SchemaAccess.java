package dev.loom.server.schema;

import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks up and changes a schema. All methods throw a {@link RefusedException} for what they refuse. */
public interface SchemaAccess {
    /** Finds the open source of this name. */
    Optional<Source> openSource(String name);

    /**
     * Defines a source and, if its attributes name an event time, the index over it. An open source of the name is left unchanged
     * if it matches; if it differs, the call fails.
     */
    Source defineSource(String name, PayloadFormat format, Map<String, String> attributes);

    /** Replaces the attributes of the open source of this name. If they name another event time, its index is replaced too. */
    Source setAttributes(String name, Map<String, String> attributes);

    /** Closes the open source of this name. */
    Source closeSource(String name);

    /**
     * Defines an index over a field; the field's name becomes the index's name, with those of the key's fields behind a colon. A matching
     * index is left unchanged.
     *
     * @param by the fields of the key by which it keeps totals and bins apart; empty for none
     * @param backfill whether to rebuild all indexes afterwards, so that this one covers existing records too
     */
    IndexEntry defineIndex(String source, String field, String bins, List<String> by, boolean backfill);

    /** Closes the open index of this name. */
    IndexEntry closeIndex(String source, String name);
}
