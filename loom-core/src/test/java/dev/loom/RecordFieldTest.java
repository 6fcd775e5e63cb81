package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.RecordCursor;
import dev.loom.api.RecordField;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.format.UnknownFieldException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fields read at a cursor. */
final class RecordFieldTest {
    private static final StructFormat FORMAT = Formats.struct("latency_ns:i64,id:u64?,ratio:f64,key:utf8?");

    @TempDir
    Path store;

    private static void push(Loom loom, int source, int number) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        StructWriter writer = new StructWriter(FORMAT);
        writer.begin(payload, 0);
        writer.setLong(0, 1_000 + number);
        if (number % 2 == 0) {
            writer.setLong(1, number);
            writer.setUtf8(3, "key-" + number);
        }
        writer.setDouble(2, number / 4.0);
        loom.push(source, payload, 0, writer.finish());
    }

    @Test
    void shouldReadTheCurrentRecordWhereverTheCursorIs() {
        try (Loom loom = Loom.open(store)) {
            int source = loom.defineSource("requests", FORMAT);
            for (int i = 0; i < 5; i++) {
                push(loom, source, i);
            }
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor record = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                RecordField latency = record.field(FORMAT, "latency_ns");
                RecordField id = record.field(FORMAT, "id");
                RecordField ratio = record.field(FORMAT, "ratio");
                RecordField key = record.field(FORMAT, "key");
                assertThrows(IllegalStateException.class, latency::getLong, "before the first record");
                for (int i = 0; i < 5; i++) {
                    assertTrue(record.next());
                    assertEquals(1_000 + i, latency.getLong());
                    assertEquals(1_000 + i, latency.getDouble());
                    assertEquals(i / 4.0, ratio.getDouble());
                    assertEquals(i % 2 == 0, id.isPresent());
                    assertEquals(i % 2 == 0 ? i : -1, id.getLong(-1));
                    assertEquals(i % 2 == 0 ? i : 0.5, id.getDouble(0.5));
                    assertEquals(i % 2 == 0 ? "key-" + i : "", key.getText());
                    assertThrows(IllegalStateException.class, ratio::getLong);
                    assertThrows(IllegalStateException.class, key::getDouble);
                }
                assertFalse(record.next());
                assertThrows(IllegalStateException.class, latency::getLong, "after the last record");
            }
        }
    }

    @Test
    void shouldRefuseAnUnsignedNumberThatNoLongHolds() {
        try (Loom loom = Loom.open(store)) {
            int source = loom.defineSource("requests", Formats.json());
            loom.push(source, "{\"n\": 18446744073709551615}".getBytes(StandardCharsets.UTF_8));
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor record = snapshot.newestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                RecordField number = record.field(Formats.json(), "n");
                assertTrue(record.next());
                assertEquals("18446744073709551615", number.getText());
                IllegalStateException refused = assertThrows(IllegalStateException.class, number::getLong);
                assertEquals(
                        "field is not an integer: field=n, kind=UNSIGNED, value=18446744073709551615",
                        refused.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseAFieldThatNoPayloadHas() {
        try (Loom loom = Loom.open(store)) {
            int source = loom.defineSource("requests", FORMAT);
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor record = snapshot.newestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertThrows(UnknownFieldException.class, () -> record.field(FORMAT, "latency"));
            }
        }
    }
}
