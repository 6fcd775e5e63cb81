package dev.loom.bench.recording;

/**
 * One way of recording. Lifecycle: producers are created and used, each by its own thread, then {@link #finish}, {@link #verify},
 * {@link #close}.
 */
public interface RecordingTarget extends AutoCloseable {
    /** Bytes of an event's payload: producer, sequence, and six numbers derived from them. */
    int PAYLOAD_LENGTH = 64;

    /** A thread's access to the recording. */
    @FunctionalInterface
    interface Producer {
        /** Records the event with this number; waits if there is no room. */
        void record(long sequence);
    }

    Producer producer(int number);

    /** Writes everything recorded to the files. */
    void finish();

    /**
     * Reads everything back.
     *
     * @return how many events there are
     * @throws IllegalStateException if an event differs, or a producer's events are out of order
     */
    long verify(int producers);

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
