package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.model.QueryMemory;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class GroupMemoryTest {
    private final QueryMemory memory = new QueryMemory(1 << 20);

    @Test
    void shouldHoldNothingOfABlockThatTheJvmDoesNotHave() {
        int[] allocated = new int[1];
        try (QueryMemory part = memory.part();
                GroupMemory blocks = new GroupMemory(part, length -> {
                    if (allocated[0]++ == 1) {
                        throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                    }
                    return ByteBuffer.allocateDirect(length);
                })) {
            UnsafeBuffer first = blocks.allocate(1_000);
            QueryMemory.Exhausted alone = assertThrows(QueryMemory.Exhausted.class, () -> blocks.allocate(5_000));
            assertEquals(1_000, memory.reserved());
            assertFalse(alone.mayPass());
            assertTrue(String.valueOf(alone.getMessage())
                    .startsWith("the JVM has no memory left for the query: needed=5000"));
            memory.reserve(1);
            allocated[0] = 1;
            QueryMemory.Exhausted besideOthers =
                    assertThrows(QueryMemory.Exhausted.class, () -> blocks.allocate(5_000));
            assertTrue(besideOthers.mayPass());
            memory.release(1);
            blocks.free(first);
            assertEquals(0, memory.reserved());
            blocks.allocate(500);
        }
    }
}
