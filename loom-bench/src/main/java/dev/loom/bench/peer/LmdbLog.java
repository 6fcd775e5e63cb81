package dev.loom.bench.peer;

import static org.lmdbjava.DirectBufferProxy.PROXY_DB;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.PutFlags;
import org.lmdbjava.Txn;

/**
 * LMDB through JNR, in append mode, which its documents call the fastest way to load keys in order: pages are filled and never split. A
 * record that is older than the one before goes where it belongs. Written through the map without syncs, many records to a transaction.
 */
final class LmdbLog implements PeerLog {
    /** Of the map, not of the file, which is as long but has no blocks where nothing was written. */
    private static final long MAP_BYTES = 256L << 30;

    private static final int TRANSACTION_RECORDS = 4096;

    private final Env<DirectBuffer> environment;
    private final Dbi<DirectBuffer> records;
    private boolean writing;
    private boolean closed;

    LmdbLog(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        environment = Env.create(PROXY_DB)
                .setMapSize(MAP_BYTES)
                .setMaxDbs(1)
                .open(
                        directory.toFile(),
                        EnvFlags.MDB_WRITEMAP,
                        EnvFlags.MDB_NOSYNC,
                        EnvFlags.MDB_NOMEMINIT,
                        EnvFlags.MDB_NORDAHEAD);
        records = environment.openDbi("records", DbiFlags.MDB_CREATE);
    }

    @Override
    public Writer newWriter() {
        if (writing) {
            throw new IllegalStateException("store takes one writer at a time");
        }
        writing = true;
        return new TransactionWriter();
    }

    @Override
    public void finish() {
        environment.sync(true);
    }

    @Override
    public long count() {
        try (Txn<DirectBuffer> transaction = environment.txnRead()) {
            return records.stat(transaction).entries;
        }
    }

    @Override
    public void read(long fromNs, long toNs, Visitor visitor) {
        final UnsafeBuffer first = new UnsafeBuffer(ByteBuffer.allocateDirect(PeerKeyDescriptor.KEY_LENGTH));
        PeerKeyDescriptor.putFirst(first, fromNs);
        try (Txn<DirectBuffer> transaction = environment.txnRead();
                Cursor<DirectBuffer> cursor = records.openCursor(transaction)) {
            boolean found = cursor.get(first, GetOp.MDB_SET_RANGE);
            while (found && PeerKeyDescriptor.timeNs(cursor.key()) < toNs) {
                final long tag = PeerKeyDescriptor.tag(cursor.key(), 0);
                visitor.record(
                        PeerKeyDescriptor.writer(tag),
                        PeerKeyDescriptor.sequence(tag),
                        PeerKeyDescriptor.source(tag),
                        cursor.val(),
                        0,
                        cursor.val().capacity());
                found = cursor.next();
            }
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            environment.close();
        }
    }

    /** Gathers records in a transaction, which begins with the first. */
    private final class TransactionWriter implements Writer {
        private final UnsafeBuffer key = new UnsafeBuffer(ByteBuffer.allocateDirect(PeerKeyDescriptor.KEY_LENGTH));
        private final UnsafeBuffer value = new UnsafeBuffer(0, 0);
        private @Nullable Txn<DirectBuffer> transaction;
        private @Nullable Cursor<DirectBuffer> cursor;
        private long sequence;
        private long lastNs;
        private int gathered;

        @Override
        public void append(long timeNs, int source, DirectBuffer payload, int offset, int length) {
            PeerKeyDescriptor.put(key, timeNs, PeerKeyDescriptor.tag(sequence++, 0, source));
            value.wrap(payload, offset, length);
            if (timeNs >= lastNs) {
                open().put(key, value, PutFlags.MDB_APPEND);
                lastNs = timeNs;
            } else {
                open().put(key, value);
            }
            gathered++;
            if (gathered == TRANSACTION_RECORDS) {
                flush();
            }
        }

        private Cursor<DirectBuffer> open() {
            if (cursor == null || transaction == null) {
                transaction = environment.txnWrite();
                cursor = records.openCursor(transaction);
            }
            return cursor;
        }

        @Override
        public void flush() {
            if (cursor != null && transaction != null) {
                cursor.close();
                transaction.commit();
                transaction.close();
                cursor = null;
                transaction = null;
                gathered = 0;
            }
        }

        @Override
        public void close() {
            flush();
        }
    }
}
