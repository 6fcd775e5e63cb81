package dev.loom.bench.scaling;

import dev.loom.bench.push.ScratchDirectory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** Reads random ones of a million values of 100 bytes. */
final class RocksDbReads implements NeighbourWork {
    private static final int KEYS = 1_000_000;
    private static final int VALUE_LENGTH = 100;
    private static final long MULTIPLIER = 6_364_136_223_846_793_005L;

    static {
        RocksDB.loadLibrary();
    }

    private final ScratchDirectory files;
    private final Options options =
            new Options().setCreateIfMissing(true).setCompressionType(CompressionType.NO_COMPRESSION);
    private final ReadOptions readOptions = new ReadOptions();
    private final RocksDB store;
    private final ThreadLocal<ByteBuffer> keys = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Long.BYTES));
    private final ThreadLocal<ByteBuffer> values =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(VALUE_LENGTH));
    private boolean closed;

    RocksDbReads(Path directory) {
        files = ScratchDirectory.in(directory);
        try (WriteOptions write = new WriteOptions().setDisableWAL(true);
                FlushOptions flush = new FlushOptions()) {
            store = RocksDB.open(options, files.path().toString());
            final byte[] value = new byte[VALUE_LENGTH];
            for (long i = 0; i < KEYS; i++) {
                store.put(write, ByteBuffer.allocate(Long.BYTES).putLong(i).array(), value);
            }
            store.flush(flush);
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not load: directory=" + directory, e);
        }
    }

    @Override
    public long step(long state) {
        long next = state;
        final ByteBuffer key = keys.get();
        final ByteBuffer value = values.get();
        try {
            for (int i = 0; i < STEP; i++) {
                next = next * MULTIPLIER + 1;
                key.clear().putLong((next >>> 33) % KEYS).flip();
                if (store.get(readOptions, key, value.clear()) != VALUE_LENGTH) {
                    throw new IllegalStateException("value is missing");
                }
            }
        } catch (final RocksDBException e) {
            throw new IllegalStateException("store does not read", e);
        }
        return next;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            store.close();
            readOptions.close();
            options.close();
            files.close();
        }
    }
}
