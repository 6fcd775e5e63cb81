package dev.loom.api;

/**
 * Writes records in place into a {@link dev.loom.Recorder}'s ring: {@link #claim}, fill, then {@link #commit} or {@link
 * #abort}. For one thread at a time; reusable.
 *
 * <p>An open claim holds up every record that other threads bring after it, so keep the code between the two calls
 * short and free of blocking. The recorder aborts a claim whose thread has ended. It leaves the claim of a live thread
 * alone, since that thread may be writing into it. So one thread must claim, fill and end a claim:
 * once that thread has ended, the buffer may hold other records.
 */
public interface RecorderClaim extends RecordClaim, AutoCloseable {
    /**
     * Claims room for one payload, whose arrival time is that of the claim. Aborts a claim that is still open.
     *
     * @param length 0 to {@link dev.loom.Recorder#payloadLengthMax()}
     * @return 0, or a negative {@link PushStatus}, in which case no claim is open
     * @throws IllegalArgumentException for a source that was never defined, or a length out of range
     * @throws IllegalStateException after {@link #close()}
     */
    long claim(int sourceId, int length);

    /**
     * Hands the record over.
     *
     * @return 0, or {@link PushStatus#CLOSED} if the recorder was closed meanwhile and gave up the claim
     */
    @Override
    long commit();

    /** Aborts an open claim, and unregisters from the recorder. Idempotent. */
    @Override
    void close();
}
