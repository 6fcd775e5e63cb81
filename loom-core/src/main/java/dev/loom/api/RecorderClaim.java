package dev.loom.api;

/**
 * One thread's way of writing records in place into a {@link dev.loom.Recorder}'s ring: {@link #claim}, fill, then {@link
 * #commit} or {@link #abort}. For one thread at a time, and used by it again and again.
 *
 * <p>An open claim holds up every record that other threads bring after it, so there must be little between the two calls,
 * and nothing that blocks. A claim whose thread has ended is aborted by the recorder; one whose thread lives on is left alone,
 * since that thread may be writing into it.
 */
public interface RecorderClaim extends RecordClaim, AutoCloseable {
    /**
     * Claims room for one payload; its arrival time is that of the claim. One that is still open is aborted.
     *
     * @param length 0 to {@link dev.loom.Recorder#payloadLengthMax()}
     * @return 0, or a negative {@link PushStatus}, and then nothing is open
     * @throws IllegalArgumentException for a source never defined, or a length out of range
     */
    long claim(int sourceId, int length);

    /**
     * Hands the record over.
     *
     * @return 0; or {@link PushStatus#CLOSED} when the recorder was closed meanwhile and has given the claim up
     */
    @Override
    long commit();

    /** Aborts what is open, and takes this off the recorder's list. Idempotent. */
    @Override
    void close();
}
