package dev.loom.store;

import dev.loom.log.LogKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The lengths of a session's rings. */
record Rings(int record, int time, int chunk) {
    /** Rings are never shrunk below these lengths. */
    private static final int RECORD_MIN = 8 << 20;

    private static final int CHUNK_MIN = 1 << 20;

    /** The rings of a mark. */
    static Rings of(Mark mark) {
        return new Rings(
                mark.ringLength(LogKind.RECORD), mark.ringLength(LogKind.TIME), mark.ringLength(LogKind.CHUNK));
    }

    int length(LogKind kind) {
        return switch (kind) {
            case RECORD -> record;
            case TIME -> time;
            case CHUNK -> chunk;
        };
    }

    /** The total length. */
    long length() {
        return Stream.of(LogKind.values()).mapToLong(this::length).sum();
    }

    /**
     * These lengths, then smaller and smaller ones to try where there is no room.
     *
     * @param recordFixed whether the record log's ring was configured, and so keeps its length
     * @param chunkFixed whether the chunk index's ring was
     */
    List<Rings> andSmaller(boolean recordFixed, boolean chunkFixed) {
        List<Rings> all = new ArrayList<>(List.of(this));
        Rings last = this;
        while (!recordFixed && last.record > RECORD_MIN) {
            last = new Rings(last.record / 2, time, last.chunk);
            all.add(last);
        }
        while (!chunkFixed && last.chunk > CHUNK_MIN) {
            last = new Rings(last.record, time, last.chunk / 2);
            all.add(last);
        }
        return all;
    }
}
