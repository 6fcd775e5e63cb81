package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import dev.loom.otlp.schema.MessageCheck;
import dev.loom.otlp.schema.MessageType;
import dev.loom.otlp.schema.OtlpMessages;
import dev.loom.otlp.wire.ExportTags.Request;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.WireType;
import org.agrona.DirectBuffer;

/**
 * Tells the records of a request that have text which is not UTF-8, or share such text with others. Idle unless the request
 * has such text; then each resource, scope and metric is checked once. Reused; for one thread.
 */
final class TextCheck {
    private final MessageCheck check = new MessageCheck();
    private Signal signal = Signal.LOGS;
    private boolean needed;
    private boolean resourceValid;
    private boolean scopeValid;
    /** Of all that the next record shares. */
    private boolean contextValid;

    /**
     * Starts with a request.
     *
     * @param newNeeded whether it has text that is not UTF-8
     */
    void begin(Signal newSignal, boolean newNeeded) {
        signal = newSignal;
        needed = newNeeded;
    }

    /** Takes the fields of a ResourceX. */
    void enterResource(EncodedFields fields) {
        if (needed) {
            resourceValid = accepts(resource(), fields);
        }
    }

    /** Takes the fields of a ScopeX. */
    void enterScope(EncodedFields fields) {
        if (needed) {
            scopeValid = resourceValid && accepts(scope(), fields);
            contextValid = scopeValid;
        }
    }

    /** Takes the fields of a Metric, without its data, which has text only in points. */
    void enterMetric(EncodedFields fields) {
        if (needed) {
            contextValid = scopeValid && accepts(item(), fields);
        }
    }

    /**
     * Whether all text of a record is UTF-8, and of what it shares. Only for a request that needs the check.
     *
     * @param pointsTag for data points, the tag of the metric's data
     */
    boolean accepts(int pointsTag, DirectBuffer buffer, int offset, int length) {
        MessageType record = signal == Signal.METRICS ? within(within(item(), pointsTag), Data.DATA_POINTS) : item();
        return contextValid && check.accepts(record, buffer, offset, length);
    }

    private boolean accepts(MessageType type, EncodedFields fields) {
        return check.accepts(type, fields.buffer(), 0, fields.length());
    }

    private MessageType resource() {
        return within(OtlpMessages.request(signal), Request.RESOURCES);
    }

    private MessageType scope() {
        return within(resource(), ResourceEnvelope.SCOPES);
    }

    private MessageType item() {
        return within(scope(), ScopeEnvelope.ITEMS);
    }

    private static MessageType within(MessageType type, int tag) {
        return type.message(tag >>> WireType.BITS);
    }
}
