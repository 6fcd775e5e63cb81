package dev.loom.otlp.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Compares with the descriptors of the official classes. */
class OtlpMessagesTest {
    private final Set<String> compared = new HashSet<>();

    @Test
    void shouldBeTheOfficialMessages() {
        compare(ExportLogsServiceRequest.getDescriptor(), OtlpMessages.request(Signal.LOGS));
        compare(ExportTraceServiceRequest.getDescriptor(), OtlpMessages.request(Signal.TRACES));
        compare(ExportMetricsServiceRequest.getDescriptor(), OtlpMessages.request(Signal.METRICS));
        assertEquals(34, compared.size(), () -> "messages=" + compared);
    }

    private void compare(Descriptor official, MessageType ours) {
        if (!compared.add(official.getFullName())) {
            return;
        }
        assertEquals(official.getFields().size(), ours.fields().size(), ours.name());
        assertTrue(official.getRealOneofs().size() <= 1, ours.name());
        for (FieldDescriptor expected : official.getFields()) {
            String name = official.getFullName() + "." + expected.getJsonName();
            MessageField field = ours.field(expected.getJsonName());
            assertNotNull(field, name);
            assertEquals(expected.getNumber(), field.number(), name);
            assertEquals(expected.isRepeated(), field.repeated(), name);
            assertEquals(expected.isPacked(), field.packed(), name);
            assertEquals(tag(expected), field.tag(), name);
            String type = field.type() == ProtoType.ID ? "BYTES" : field.type().name();
            assertEquals(expected.getType().name(), type, name);
            assertEquals(expected.getJsonName().endsWith("Id"), field.type() == ProtoType.ID, name);
            assertEquals(expected.getRealContainingOneof() != null, ours.inOneOf(expected.getNumber()), name);
            assertTrue(ours.has(expected.getNumber(), field.tag() & 7), name);
            assertTrue(ours.has(expected.getNumber(), expected.getLiteType().getWireType()), name);
            assertEquals(name.contains("trindex"), field.tag() == ours.profilesTag(), name);
            if (expected.getType() == FieldDescriptor.Type.MESSAGE) {
                compare(expected.getMessageType(), ours.message(field.number()));
            }
        }
    }

    private static int tag(FieldDescriptor field) {
        return field.getNumber() << 3
                | (field.isPacked() ? 2 : field.getLiteType().getWireType());
    }
}
