package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Reading and writing fields allocates nothing once a value has grown to what it holds. */
class AllocationTest {
    private static final int ROUNDS = 20_000;

    private final FieldValue value = new FieldValue();

    @Test
    void shouldAllocateNothingWhenStructIsWrittenAndRead() {
        StructFormat format = Formats.struct("a:i64,b:u64?,c:f32,d:utf8,e:bytes?,f:bool?,g:i16,h:utf8?");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        UnsafeBuffer bytes = new UnsafeBuffer(new byte[40]);
        String text = "a text é😀";
        List<FieldReader> readers = format.fields().stream()
                .map(field -> Objects.requireNonNull(format.field(field.name())))
                .toList();
        BiConsumer<String, FieldValue> handler = (name, v) -> {};
        assertAllocatesNothing(() -> {
            writer.begin(buffer, 8);
            writer.setLong(0, -1);
            writer.setUnsigned(1, -1);
            writer.setDouble(2, 0.5);
            writer.setUtf8(3, text);
            writer.setBytes(4, bytes, 0, 40);
            writer.setBoolean(5, true);
            writer.setLong(6, 3);
            writer.setUtf8(7, bytes, 0, 3);
            int length = writer.finish();
            for (int i = 0; i < readers.size(); i++) {
                readers.get(i).read(buffer, 8, length, value);
            }
            format.forEachField(buffer, 8, length, value, handler);
        });
        assertEquals(FieldValue.Kind.TEXT, value.kind());
    }

    @Test
    void shouldAllocateNothingWhenJsonIsRead() {
        byte[] document =
                ("{\"z\":[{\"k\":null}],\"http\":{\"route\":\"/a\\u00e9/b\\n\"},\"\\u0061.b\":{\"c\":12345678901},"
                                + "\"d\":[1,2.5e3,{\"x\":true}]}")
                        .getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer buffer = new UnsafeBuffer(document);
        List<FieldReader> readers = List.of(
                new JsonFieldReader("http.route"),
                new JsonFieldReader("a.b.c"),
                new JsonFieldReader("d.1"),
                new JsonFieldReader("d.2.x"),
                new JsonFieldReader("none"),
                new JsonFieldReader(""));
        assertAllocatesNothing(() -> {
            for (int i = 0; i < readers.size(); i++) {
                readers.get(i).read(buffer, 0, document.length, value);
            }
        });
        assertEquals(FieldValue.Kind.JSON, value.kind());
    }

    private static void assertAllocatesNothing(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < ROUNDS; i++) {
            work.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            work.run();
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < ROUNDS, "allocated bytes: total=" + allocated + ", rounds=" + ROUNDS);
    }
}
