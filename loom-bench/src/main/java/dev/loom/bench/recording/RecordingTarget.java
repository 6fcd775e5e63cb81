package dev.loom.bench.recording;

/**
 * One way of recording. Life: producers are made and used, each by a thread of its own, {@link #finish}, {@link #verify},
 * {@link #close}.
 */
public interface RecordingTarget extends AutoCloseable {
    /** Bytes of an event's payload: producer, sequence, and six more numbers that follow from them. */
    int PAYLOAD_LENGTH = 64;

    /** What one thread records with. */
    @FunctionalInterface
    interface Producer {
        /** Records the event of this number; waits where there is no room. */
        void record(long sequence);
    }

    Producer producer(int number);

    /** Brings everything recorded to the files. */
    void finish();

    /**
     * Reads everything back.
     *
     * @return how many events are missing
     * @throws IllegalStateException when an event differs, or a producer's are not in its order
     */
    long verify(int producers, long recordsEach);

    @Override
    void close();

    /** The i-th number of a payload. */
    static long number(int i, int producer, long sequence) {
        return switch (i) {
            case 0 -> producer;
            case 1 -> sequence;
            default -> (sequence + i) * 0x9e3779b97f4a7c15L + producer;
        };
    }
}
