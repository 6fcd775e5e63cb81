package dev.loom.cli.schema;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.format.PayloadFormat;
import java.util.Map;
import java.util.Optional;

/**
 * What commands look up and change in a schema. All methods fail by {@link CommandFailure} with the reason.
 */
public interface SchemaAccess {
    /** The open source of this name. */
    Optional<Source> openSource(String name);

    /**
     * Defines a source and, if its attributes name an event time, the index over it. An open source that is alike is left as
     * it is; one of the name that differs is a failure.
     */
    Source defineSource(String name, PayloadFormat format, Map<String, String> attributes);

    /**
     * Gives the open source of this name other attributes, and if they name another event time another index over it.
     */
    Source setAttributes(String name, Map<String, String> attributes);

    /** Closes the open source of this name. */
    Source closeSource(String name);

    /**
     * Defines an index over a field, which is its name. One that is alike is left as it is.
     *
     * @param backfill whether all indexes are then written anew, so that it holds the records that there are, too
     */
    IndexEntry defineIndex(String source, String field, String bins, boolean backfill);

    /** Closes the open index of this name. */
    IndexEntry closeIndex(String source, String name);
}
