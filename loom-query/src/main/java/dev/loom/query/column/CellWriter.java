package dev.loom.query.column;

/** Takes the values of a column, each by the method of its type. For one thread. */
public interface CellWriter {
    /** There is no value. */
    void putNull();

    /** An integer or a time; of {@code u64} the bits. */
    void putInteger(long value);

    /** A number of {@code f32} or {@code f64}. */
    void putDouble(double value);

    void putBoolean(boolean value);

    /** Bytes, or valid UTF-8 of texts, at {@code [0, length)} during the call only. */
    void putBytes(byte[] bytes, int length);
}
