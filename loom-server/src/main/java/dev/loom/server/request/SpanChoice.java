package dev.loom.server.request;

import dev.loom.format.PayloadFormat;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.where.Where;
import java.util.List;

/** The spans that are asked for. All of it must hold of one span. */
public interface SpanChoice {
    /**
     * Checks what does not depend on a format.
     *
     * @throws dev.loom.query.service.RequestException if a part can't be parsed
     */
    void check();

    /** How long the spans took. */
    TracesRequest.Took took();

    /**
     * The conditions over the fields of a format.
     *
     * @throws dev.loom.query.service.RequestException if a part can't be parsed
     * @throws IllegalArgumentException if the format has no field for a part
     */
    List<Where> conditions(PayloadFormat format);
}
