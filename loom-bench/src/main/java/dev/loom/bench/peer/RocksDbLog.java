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
    public void read(Visitor visitor) {
        final UnsafeBuffer key = new UnsafeBuffer(0, 0);
        final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
        try (ReadOptions read = new ReadOptions().setReadaheadSize(2L << 20);
                RocksIterator records = store.newIterator(read)) {
            for (records.seekToFirst(); records.isValid(); records.next()) {
                key.wrap(records.key());
                payload.wrap(records.value());
                final long tag = PeerKeyDescriptor.tag(key, 0);
                visitor.record(
                        PeerKeyDescriptor.writer(tag),
                        PeerKeyDescriptor.sequence(tag),
                        PeerKeyDescriptor.source(tag),
                        payload,
                        0,
                        payload.capacity());
            }
            records.status();
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not read", e);
        }
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
        public void append(int source, DirectBuffer payload, int offset, int length) {
            if (length > valueBytes.capacity()) {
                valueBytes = ByteBuffer.allocateDirect(length);
            }
            PeerKeyDescriptor.put(key, System.nanoTime(), PeerKeyDescriptor.tag(sequence++, writer, source));
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
