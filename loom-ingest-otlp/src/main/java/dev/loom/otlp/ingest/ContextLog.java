package dev.loom.otlp.ingest;

import dev.loom.Loom;

/**
 * The source of contexts, and the addresses in it of contexts recently used.
 *
 * <p>Invariant: a context lies in the same segment of the record log as every record that refers to it, so retention keeps
 * or deletes both. Contexts in earlier segments are therefore forgotten, and written again when next needed; so are all
 * contexts when there are too many to remember. Owned by whoever has the writer's turn.
 */
final class ContextLog {
    /** The source that holds them. */
    static final String SOURCE = "otlp.contexts";

    private final Loom loom;
    private final SourceDefinitions definitions;
    private final long segmentLength;
    private final ContextPlaces places;
    private int sourceId;
    private long segmentStart;
    private long segmentEnd;
    private long writtenBytes;

    ContextLog(Loom loom, SourceDefinitions definitions, long segmentLength, int entriesMax) {
        this.loom = loom;
        this.definitions = definitions;
        sourceId = definitions.defineContexts();
        this.segmentLength = segmentLength;
        places = new ContextPlaces(entriesMax);
    }

    /** Continues with the source that is now open, or defines one. Contexts of the previous source stay valid. */
    void reopen() {
        sourceId = definitions.defineContexts();
    }

    /**
     * Whether the context lies where a record at this address may refer to it; if so, its address is set.
     *
     * @param recordAddress at or above those of all earlier calls
     */
    boolean serves(ContextBytes context, long recordAddress) {
        if (recordAddress >= segmentEnd) {
            segmentStart = recordAddress - recordAddress % segmentLength;
            segmentEnd = segmentStart + segmentLength;
            places.clear();
        }
        if (context.address() < segmentStart) {
            context.address(places.get(context.digest()));
        }
        return context.address() >= segmentStart;
    }

    /**
     * Writes the context.
     *
     * @return its address, or a negative {@link dev.loom.api.PushStatus}
     */
    long write(ContextBytes context) {
        context.assemble();
        long address = loom.offer(sourceId, context.buffer(), 0, context.length());
        if (address >= 0) {
            writtenBytes += context.length();
            context.address(address);
            if (address < segmentEnd) {
                places.put(context.digest(), address);
            }
        }
        return address;
    }

    /** The length of all contexts written. */
    long writtenBytes() {
        return writtenBytes;
    }
}
