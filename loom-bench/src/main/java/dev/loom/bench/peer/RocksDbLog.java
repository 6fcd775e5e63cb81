package dev.loom.bench.peer;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB through JNI: no write-ahead log, as many background jobs as processors, four write buffers of 64 MiB, level compaction,
 * which for keys in order mostly moves files, and writes in batches, as its tuning guide advises for bulk writes.
 */
final class RocksDbLog implements PeerLog {
    private static final long WRITE_BUFFER_BYTES = 64L << 20;
    private static final int WRITE_BUFFERS = 4;
    private static final int BATCH_RECORDS = 256;
    private static final long READ_AHEAD_BYTES = 2L << 20;
    private static final int INITIAL_LENGTH = 4096;

    static {
        RocksDB.loadLibrary();
    }

    private final Options options;
    private final WriteOptions writeOptions;
    private final RocksDB store;
    private int writers;
    private boolean closed;

    RocksDbLog(Path directory) {
        options = new Options()
                .setCreateIfMissing(true)
                .setIncreaseParallelism(Math.max(2, Runtime.getRuntime().availableProcessors()))
                .setWriteBufferSize(WRITE_BUFFER_BYTES)
                .setMaxWriteBufferNumber(WRITE_BUFFERS)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        writeOptions = new WriteOptions().setDisableWAL(true);
        try {
            store = RocksDB.open(options, directory.toString());
        } catch (final RocksDBException e) {
            writeOptions.close();
            options.close();
            throw new IllegalStateException("store does not open: directory=" + directory, e);
        }
    }

    @Override
    public synchronized Writer newWriter() {
        return new BatchWriter(writers++);
    }

    @Override
    public void finish() {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            store.flush(flush);
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not flush", e);
        }
    }

    /** An estimate in general; exact where no key is written twice. */
    @Override
    public long count() {
        try {
            return store.getLongProperty("rocksdb.estimate-num-keys");
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not count", e);
        }
    }

    @Override
    public void read(long fromNs, long toNs, Visitor visitor) {
        final ByteBuffer keyBytes = ByteBuffer.allocateDirect(PeerKeyDescriptor.KEY_LENGTH);
        final UnsafeBuffer key = new UnsafeBuffer(keyBytes);
        ByteBuffer valueBytes = ByteBuffer.allocateDirect(INITIAL_LENGTH);
        UnsafeBuffer payload = new UnsafeBuffer(valueBytes);
        try (Slice end = new Slice(first(toNs));
                ReadOptions read =
                        new ReadOptions().setReadaheadSize(READ_AHEAD_BYTES).setIterateUpperBound(end);
                RocksIterator records = store.newIterator(read)) {
            for (records.seek(first(fromNs)); records.isValid(); records.next()) {
                records.key(keyBytes.clear());
                final int length = records.value(valueBytes.clear());
                if (length > valueBytes.capacity()) {
                    valueBytes = ByteBuffer.allocateDirect(length);
                    payload = new UnsafeBuffer(valueBytes);
                    records.value(valueBytes);
                }
                final long tag = PeerKeyDescriptor.tag(key, 0);
                visitor.record(
                        PeerKeyDescriptor.writer(tag),
                        PeerKeyDescriptor.sequence(tag),
                        PeerKeyDescriptor.source(tag),
                        payload,
                        0,
                        length);
            }
            records.status();
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not read", e);
        }
    }

    private static byte[] first(long timeNs) {
        final byte[] key = new byte[PeerKeyDescriptor.KEY_LENGTH];
        PeerKeyDescriptor.putFirst(new UnsafeBuffer(key), timeNs);
        return key;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            store.close();
            writeOptions.close();
            options.close();
        }
    }

    /** Gathers records in a batch. */
    private final class BatchWriter implements Writer {
        private final int writer;
        private final WriteBatch batch = new WriteBatch();
        private final ByteBuffer keyBytes = ByteBuffer.allocateDirect(PeerKeyDescriptor.KEY_LENGTH);
        private final UnsafeBuffer key = new UnsafeBuffer(keyBytes);
        private ByteBuffer valueBytes = ByteBuffer.allocateDirect(INITIAL_LENGTH);
        private long sequence;
        private int gathered;
        private boolean writerClosed;

        private BatchWriter(int writer) {
            this.writer = writer;
        }

        @Override
        public void append(long timeNs, int source, DirectBuffer payload, int offset, int length) {
            if (length > valueBytes.capacity()) {
                valueBytes = ByteBuffer.allocateDirect(length);
            }
            PeerKeyDescriptor.put(key, timeNs, PeerKeyDescriptor.tag(sequence++, writer, source));
            payload.getBytes(offset, valueBytes, 0, length);
            try {
                batch.put(keyBytes.clear(), valueBytes.clear().limit(length));
                gathered++;
                if (gathered == BATCH_RECORDS) {
                    write();
                }
            } catch (final RocksDBException e) {
                throw new IllegalStateException("store does not write", e);
            }
        }

        @Override
        public void flush() {
            try {
                write();
            } catch (final RocksDBException e) {
                throw new IllegalStateException("store does not write", e);
            }
        }

        private void write() throws RocksDBException {
            if (gathered > 0) {
                store.write(writeOptions, batch);
                batch.clear();
                gathered = 0;
            }
        }

        @Override
        public void close() {
            if (!writerClosed) {
                writerClosed = true;
                flush();
                batch.close();
            }
        }
    }
}
