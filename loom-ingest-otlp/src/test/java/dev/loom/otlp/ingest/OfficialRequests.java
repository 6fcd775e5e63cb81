package dev.loom.otlp.ingest;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.loom.otlp.Signal;
import dev.loom.otlp.wire.WireType;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The oracle: what is to be stored of a request, by the official classes and the words of the specification. */
public final class OfficialRequests {
    /** The field, unknown to every message, that marks what has text which is not UTF-8. */
    private static final int MARK = 20_000;

    private static final ByteString MARK_FIELD = UnknownFieldSet.newBuilder()
            .addField(MARK, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build()
            .toByteString();

    /** The messages that are marked: records, and what holds them. */
    private static final Pattern MARKED =
            Pattern.compile("(Resource|Scope)(Logs|Spans|Metrics)|LogRecord|Span|Metric|\\w+DataPoint");

    /** A record and its context. */
    record Stored(Message context, Message record) {
        /** Whether any text is not UTF-8; such records are rejected. */
        boolean marked() {
            return OfficialRequests.marked(context) || OfficialRequests.marked(record);
        }
    }

    private OfficialRequests() {}

    public static Message type(Signal signal) {
        return switch (signal) {
            case LOGS -> ExportLogsServiceRequest.getDefaultInstance();
            case TRACES -> ExportTraceServiceRequest.getDefaultInstance();
            case METRICS -> ExportMetricsServiceRequest.getDefaultInstance();
        };
    }

    /**
     * The request, or null for bytes that are none. Through a stream, in buffers too short for a longest varint: the path for
     * arrays takes half of the varints whose tenth byte announces another.
     */
    static Message parse(Message type, byte[] bytes) {
        CodedInputStream in = CodedInputStream.newInstance(new ByteArrayInputStream(bytes), 9);
        try {
            Message message = type.newBuilderForType().mergeFrom(in).build();
            in.checkLastTagWas(0);
            return message;
        } catch (InvalidProtocolBufferException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * As {@link #parse}, but takes text that is not UTF-8. It is empty in the request, and a field marks the record, metric,
     * scope or resource that has it.
     */
    static Message parseAnyText(Message type, byte[] bytes) throws IOException {
        Message message = parse(type, bytes);
        return message != null ? message : parse(type, new TextMarker().mark(type.getDescriptorForType(), bytes));
    }

    /** Marks what has text that is not UTF-8. Bytes that are no fields stay as they are, for the official classes to refuse. */
    private static final class TextMarker {
        private boolean found;

        byte[] mark(Descriptor type, byte[] bytes) throws IOException {
            ByteArrayOutputStream marked = new ByteArrayOutputStream();
            CodedInputStream in = CodedInputStream.newInstance(new ByteArrayInputStream(bytes), 9);
            int end = 0;
            try {
                for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                    FieldDescriptor field = type.findFieldByNumber(tag >>> WireType.BITS);
                    byte[] value = null;
                    if (field != null && (tag & WireType.MASK) == WireType.LENGTH) {
                        value = markValue(field, in.readByteArray());
                    } else {
                        in.skipField(tag);
                    }
                    if (value == null) {
                        marked.write(bytes, end, in.getTotalBytesRead() - end);
                    } else {
                        CodedOutputStream out = CodedOutputStream.newInstance(marked);
                        out.writeByteArray(field.getNumber(), value);
                        out.flush();
                    }
                    end = in.getTotalBytesRead();
                }
            } catch (InvalidProtocolBufferException e) {
                // the rest is no field
            }
            marked.write(bytes, end, bytes.length - end);
            return marked.toByteArray();
        }

        /** The value without text that is not UTF-8; null if it stays as it is. */
        private byte[] markValue(FieldDescriptor field, byte[] value) throws IOException {
            if (field.getJavaType() == FieldDescriptor.JavaType.STRING) {
                boolean valid = ByteString.copyFrom(value).isValidUtf8();
                found |= !valid;
                return valid ? null : new byte[0];
            } else if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                return null;
            }
            boolean foundBefore = found;
            found = false;
            byte[] marked = mark(field.getMessageType(), value);
            boolean changed = !Arrays.equals(value, marked);
            if (found && MARKED.matcher(field.getMessageType().getName()).matches()) {
                // in front, as a mark at the end could complete a field that is cut
                marked = MARK_FIELD.concat(ByteString.copyFrom(marked)).toByteArray();
                found = false;
            }
            found |= foundBefore;
            return changed ? marked : null;
        }
    }

    private static boolean marked(Message message) {
        if (message.getUnknownFields().hasField(MARK)) {
            return true;
        }
        for (Object value : message.getAllFields().values()) {
            List<?> values = value instanceof List<?> list ? list : List.of(value);
            for (Object each : values) {
                if (each instanceof Message inner && marked(inner)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether {@link #parse} takes the bytes; faster. The path for arrays takes whatever the one for streams does. */
    static boolean accepts(Message type, byte[] bytes) {
        try {
            type.getParserForType().parsePartialFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            return false;
        }
        return true;
    }

    /** Whether a message, or one within, has a field more than once that is not repeated. */
    static boolean repeats(Descriptor type, ByteString message) throws InvalidProtocolBufferException {
        for (Map.Entry<Integer, UnknownFieldSet.Field> sent :
                UnknownFieldSet.parseFrom(message).asMap().entrySet()) {
            FieldDescriptor field = type.findFieldByNumber(sent.getKey());
            UnknownFieldSet.Field values = sent.getValue();
            int count = values.getVarintList().size()
                    + values.getFixed32List().size()
                    + values.getFixed64List().size()
                    + values.getLengthDelimitedList().size()
                    + values.getGroupList().size();
            if (field != null && !field.isRepeated() && count > 1) {
                return true;
            }
            if (field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                for (ByteString inner : values.getLengthDelimitedList()) {
                    if (repeats(field.getMessageType(), inner)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    static List<Stored> stored(Message request) {
        List<Stored> stored = new ArrayList<>();
        if (request instanceof ExportLogsServiceRequest logs) {
            logs.getResourceLogsList().forEach(resource -> addLogs(resource, stored));
        } else if (request instanceof ExportTraceServiceRequest traces) {
            traces.getResourceSpansList().forEach(resource -> addSpans(resource, stored));
        } else {
            ((ExportMetricsServiceRequest) request)
                    .getResourceMetricsList()
                    .forEach(metrics -> addMetrics(metrics, stored));
        }
        return stored;
    }

    private static void addLogs(ResourceLogs resource, List<Stored> stored) {
        for (ScopeLogs scope : resource.getScopeLogsList()) {
            Message context = resource.toBuilder()
                    .clearScopeLogs()
                    .addScopeLogs(scope.toBuilder().clearLogRecords())
                    .build();
            for (LogRecord log : scope.getLogRecordsList()) {
                stored.add(new Stored(context, log));
            }
        }
    }

    private static void addSpans(ResourceSpans resource, List<Stored> stored) {
        for (ScopeSpans scope : resource.getScopeSpansList()) {
            Message context = resource.toBuilder()
                    .clearScopeSpans()
                    .addScopeSpans(scope.toBuilder().clearSpans())
                    .build();
            for (Span span : scope.getSpansList()) {
                if (valid(span.getTraceId(), 16) && valid(span.getSpanId(), 8)) {
                    stored.add(new Stored(context, span));
                }
            }
        }
    }

    private static boolean valid(ByteString id, int length) {
        return id.size() == length && !id.equals(ByteString.copyFrom(new byte[length]));
    }

    private static void addMetrics(ResourceMetrics resource, List<Stored> stored) {
        for (ScopeMetrics scope : resource.getScopeMetricsList()) {
            for (Metric metric : scope.getMetricsList()) {
                Metric.Builder description = metric.toBuilder();
                List<? extends Message> points = List.of();
                switch (metric.getDataCase()) {
                    case GAUGE -> {
                        points = metric.getGauge().getDataPointsList();
                        description.getGaugeBuilder().clearDataPoints();
                    }
                    case SUM -> {
                        points = metric.getSum().getDataPointsList();
                        description.getSumBuilder().clearDataPoints();
                    }
                    case HISTOGRAM -> {
                        points = metric.getHistogram().getDataPointsList();
                        description.getHistogramBuilder().clearDataPoints();
                    }
                    case EXPONENTIAL_HISTOGRAM -> {
                        points = metric.getExponentialHistogram().getDataPointsList();
                        description.getExponentialHistogramBuilder().clearDataPoints();
                    }
                    case SUMMARY -> {
                        points = metric.getSummary().getDataPointsList();
                        description.getSummaryBuilder().clearDataPoints();
                    }
                    case DATA_NOT_SET -> {}
                }
                Message context = resource.toBuilder()
                        .clearScopeMetrics()
                        .addScopeMetrics(scope.toBuilder().clearMetrics().addMetrics(description))
                        .build();
                points.forEach(point -> stored.add(new Stored(context, point)));
            }
        }
    }
}
