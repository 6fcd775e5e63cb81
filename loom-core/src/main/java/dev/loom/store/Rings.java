package dev.loom.store;

import dev.loom.log.LogKind;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The lengths of a session's rings. */
record Rings(int record, int time, int chunk) {
    /** Below these no ring is made smaller than it should be. */
    private static final int RECORD_MIN = 8 << 20;

    private static final int CHUNK_MIN = 1 << 20;

    /** As a mark has them. */
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

    /** Of all of them. */
    long length() {
        return Stream.of(LogKind.values()).mapToLong(this::length).sum();
    }

    /**
     * These, then ever smaller ones, for where there is no room for them.
     *
     * @param recordFixed whether the record log's has to be as it is, as it was asked for
     * @param chunkFixed whether the chunk index's has
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
