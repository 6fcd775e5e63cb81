package dev.loom.server.jaeger;

import dev.loom.format.PayloadFormat;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Comparison;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.server.request.SpanChoice;
import java.util.ArrayList;
import java.util.List;

/**
 * Spans of a service, by the name that it has in answers: those that name none have one, too.
 *
 * @param others what is asked for besides
 */
record OfService(String service, SpanChoice others) implements SpanChoice {
    @Override
    public void check() {
        others.check();
    }

    @Override
    public TracesRequest.Took took() {
        return others.took();
    }

    @Override
    public List<Where> conditions(PayloadFormat format) {
        List<Where> conditions = new ArrayList<>(List.of(condition(format, service)));
        conditions.addAll(others.conditions(format));
        return conditions;
    }

    /** @throws IllegalArgumentException if the format has no field for it */
    static Where condition(PayloadFormat format, String service) {
        Where named = TraceFields.service(format, service);
        String field = TraceFields.serviceField(format);
        if (field == null || !service.equals(JaegerSpans.NO_SERVICE)) {
            return named;
        }
        Where empty = new Comparison(field, Operator.EQUAL, new Literal.Text(""));
        return new Where.Or(List.of(named, new Where.IsNull(field), empty));
    }

    /** The name of a service in answers. */
    static String name(String service) {
        return service.isEmpty() ? JaegerSpans.NO_SERVICE : service;
    }
}
