package dev.loom.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.SourceChanged;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SchemaIndexTest {
    private static final SourceDefined SOURCE =
            new SourceDefined(3, "requests", "struct:ts_ns:i64,latency_ns:i64", Map.of());
    private static final IndexDefined LATENCY =
            new IndexDefined(1, 3, "latency_ns", "value", "field:i64:ns:latency_ns", "log-linear:3", 1 << 20);
    private static final IndexDefined EVENT_TIME =
            new IndexDefined(2, 3, "ts_ns", "event-time", "field:i64:ns:ts_ns", "log-linear:3", 0);

    private static final SourceChanged CHANGED = new SourceChanged(3, Map.of("a", "1", "b", "2"));

    @Test
    void shouldKnowTheLastAttributesOfASource() {
        Schema schema = Schema.EMPTY.with(List.of(SOURCE, CHANGED, new SourceChanged(4, Map.of("c", "3"))));
        assertEquals(
                CHANGED.attributes(), Objects.requireNonNull(schema.source(3)).attributes());
        assertEquals(
                CHANGED.attributes(), schema.source("requests").orElseThrow().attributes());
        assertNull(schema.source(4));
    }

    @Test
    void shouldWriteAndReadEntries() throws IOException {
        for (SchemaEntry entry : List.of(LATENCY, EVENT_TIME, new IndexClosed(7), CHANGED)) {
            ByteBuffer bytes = SchemaCodec.encode(entry, 5, 64);
            assertEquals(entry, SchemaCodec.decode(bytes, 0));
        }
    }

    @Test
    void shouldLayOutDefinitionAsDescribed() {
        ByteBuffer bytes = SchemaCodec.encode(new IndexDefined(1, 2, "n", "value", "f", "b", 258), 5, 0);
        StringBuilder body = new StringBuilder("0000000100000002");
        for (String text : new String[] {"n", "value", "f", "b"}) {
            body.append(HexFormat.of().toHexDigits(text.length()))
                    .append(HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)));
        }
        body.append("0000000000000102");
        byte[] actual = new byte[body.length() / 2];
        bytes.get(SchemaCodec.HEADER_LENGTH, actual);
        assertEquals(body.toString(), HexFormat.of().formatHex(actual));
        assertEquals(3, bytes.getInt(SchemaCodec.TYPE_OFFSET));
        assertEquals(4, SchemaCodec.encode(new IndexClosed(1), 5, 0).getInt(SchemaCodec.TYPE_OFFSET));
    }

    @Test
    void shouldKnowIndexesOfSource() {
        Schema schema = Schema.EMPTY.with(List.of(SOURCE, LATENCY, EVENT_TIME));
        assertEquals(
                List.of(1, 2),
                schema.indexes(3).stream()
                        .filter(index -> !index.closed())
                        .map(Index::id)
                        .toList());
        assertEquals(List.of(), schema.indexes(4));
        Index latency = Objects.requireNonNull(schema.index(1));
        assertEquals("latency_ns", latency.name());
        assertEquals(Index.Kind.VALUE, latency.kind());
        assertEquals(Bins.logLinear(), latency.bins());
        assertEquals(1 << 20, latency.fromAddress());
        assertTrue(latency.function().isReadable());
        assertFalse(latency.closed());
        assertEquals(
                Index.Kind.EVENT_TIME, Objects.requireNonNull(schema.index(2)).kind());

        Schema closed = schema.with(List.of(new IndexClosed(1), new IndexClosed(99)));
        assertEquals(
                List.of(2),
                closed.indexes(3).stream()
                        .filter(index -> !index.closed())
                        .map(Index::id)
                        .toList());
        assertTrue(Objects.requireNonNull(closed.index(1)).closed());
        assertEquals(2, closed.indexes().size());
    }

    @Test
    void shouldKeepIdOfIndexThatItDoesNotUnderstand() {
        Schema schema = Schema.EMPTY.with(List.of(
                SOURCE,
                new IndexDefined(4, 3, "a", "value", "field:i128:ns:latency_ns", "log-linear:3", 0),
                new IndexDefined(5, 3, "b", "sketch", "field:i64:ns:latency_ns", "log-linear:3", 0),
                new IndexDefined(6, 3, "c", "value", "field:i64:ns:latency_ns", "adaptive", 0)));
        assertEquals(List.of(), schema.indexes());
        assertNull(schema.index(5));
        assertEquals(6, schema.lastIndexId());
    }

    @Test
    void shouldReadFunctionOfOnesOwnOnceItIsSupplied() {
        Schema schema = Schema.EMPTY.with(List.of(
                SOURCE,
                new IndexDefined(1, 3, "score", "value", "lambda:f64:1:score", "log-linear:3", 0),
                new IndexDefined(2, 9, "lost", "value", "field:i64:ns:latency_ns", "log-linear:3", 0)));
        assertFalse(Objects.requireNonNull(schema.index(1)).function().isReadable());
        assertNull(schema.index(2));
        IndexFunction score = IndexFunction.of("score", ValueType.F64, ValueUnit.NONE, (b, o, l, v) -> v.setDouble(l));
        Schema supplied = schema.supply(1, score);
        assertTrue(Objects.requireNonNull(supplied.index(1)).function().isReadable());
        assertEquals(2, supplied.lastIndexId());
    }
}
