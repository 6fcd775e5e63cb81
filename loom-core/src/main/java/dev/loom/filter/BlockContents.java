package dev.loom.filter;

import org.agrona.MutableDirectBuffer;

/** The contents of a file of blocks, read anywhere. For one thread. */
interface BlockContents extends AutoCloseable {
    /**
     * Reads contents.
     *
     * @throws dev.loom.error.CorruptStoreException if the file ends before them, or a block of theirs is not as it was written
     */
    void read(long position, MutableDirectBuffer into, int offset, int length);

    /** The bytes of the file. */
    long length();

    /** The bytes read of the file so far. */
    long bytesRead();

    /** The blocks so far that need not be read. */
    default long blocksCached() {
        return 0;
    }

    @Override
    void close();
}
