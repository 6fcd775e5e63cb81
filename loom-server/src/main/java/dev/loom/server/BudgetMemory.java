package dev.loom.server;

import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.Region;
import dev.loom.server.ingest.BatchMemory;
import dev.loom.server.ingest.BatchRoom;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The memory that raw batches share with OTLP requests. */
record BudgetMemory(InFlightBudget budget) implements BatchMemory {
    @Override
    public @Nullable BatchRoom take(int length) {
        Region region = budget.reserve(length);
        return region == null ? null : new Room(region, length);
    }

    private record Room(Region region, int length) implements BatchRoom {
        @Override
        public ByteBuffer bytes() {
            return region.unfilled().limit(region.unfilled().position() + length);
        }

        @Override
        public DirectBuffer buffer() {
            return region.buffer();
        }

        @Override
        public int offset() {
            return region.offset();
        }

        @Override
        public void close() {
            region.close();
        }
    }
}
