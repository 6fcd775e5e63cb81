package dev.loom.bench.probe;

import dev.loom.bench.push.ScratchDirectory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * The application: RocksDB through JNI in memory, values of 100 bytes, reads and writes of random keys, half of each.
 * Its block cache holds a tenth of a million values, so that reads make system calls, and its write-ahead log makes one for each write.
 */
final class RocksDbRequests implements ApplicationRequests {
    private static final long CACHE_BYTES = 10L << 20;
    private static final long WRITE_BUFFER_BYTES = 16L << 20;

    static {
        RocksDB.loadLibrary();
    }

    private final ScratchDirectory files;
    private final LRUCache cache = new LRUCache(CACHE_BYTES);
    private final Options options = new Options()
            .setCreateIfMissing(true)
            .setWriteBufferSize(WRITE_BUFFER_BYTES)
            .setCompressionType(CompressionType.NO_COMPRESSION)
            .setTableFormatConfig(new BlockBasedTableConfig().setBlockCache(cache));
    private final ReadOptions readOptions = new ReadOptions();
    private final WriteOptions writeOptions = new WriteOptions();
    private final RocksDB store;
    private final long keys;
    private boolean closed;

    /** Opens a store in a new folder, with this many values. */
    RocksDbRequests(Path directory, long keys) {
        this.keys = keys;
        files = ScratchDirectory.in(directory);
        try (WriteOptions load = new WriteOptions().setDisableWAL(true);
                FlushOptions flush = new FlushOptions()) {
            store = RocksDB.open(options, files.path().toString());
            final byte[] value = new byte[VALUE_LENGTH];
            for (long key = 0; key < keys; key++) {
                store.put(load, ByteBuffer.allocate(Long.BYTES).putLong(key).array(), value);
            }
            store.flush(flush);
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not load: directory=" + directory, e);
        }
    }

    @Override
    public Client client(ProbeTelemetry.Probe probe, int thread) {
        return new StoreClient(probe, thread);
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            store.close();
            writeOptions.close();
            readOptions.close();
            options.close();
            cache.close();
            files.close();
        }
    }

    /** Calls the store. */
    private final class StoreClient implements Client {
        private final ByteBuffer keyBytes = ByteBuffer.allocateDirect(Long.BYTES);
        private final ByteBuffer value = ByteBuffer.allocateDirect(VALUE_LENGTH);
        private final ProbeTelemetry.Probe probe;
        private final Choice choice;

        private StoreClient(ProbeTelemetry.Probe probe, int thread) {
            this.probe = probe;
            choice = new Choice(keys, thread);
        }

        @Override
        public void request() {
            choice.next();
            final long key = choice.key();
            keyBytes.clear().putLong(key).flip();
            value.clear();
            final long beginNs = System.nanoTime();
            try {
                if (choice.operation() == READ) {
                    if (store.get(readOptions, keyBytes, value) != VALUE_LENGTH) {
                        throw new IllegalStateException("value is missing: key=" + key);
                    }
                } else {
                    store.put(writeOptions, keyBytes, value);
                }
            } catch (final RocksDBException e) {
                throw new IllegalStateException("request failed: key=" + key, e);
            }
            final long endNs = System.nanoTime();
            probe.tell(beginNs, endNs - beginNs, choice.operation(), key);
        }
    }
}
