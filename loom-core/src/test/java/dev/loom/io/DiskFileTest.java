package dev.loom.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads and writes that the kernel does by halves. {@code -Dloom.rounds=N} sets how many files. */
final class DiskFileTest {
    private static final int LENGTH = 100_000;

    @TempDir
    Path temp;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private long transfers;

    /** Reads and writes a few bytes at most, or none, and fails at a position. */
    private final class ShortChannel extends FileChannel {
        private final FileChannel file;
        private final long failsAt;

        ShortChannel(FileChannel file, long failsAt) {
            this.file = file;
            this.failsAt = failsAt;
        }

        private interface Transfer {
            int run(ByteBuffer part) throws IOException;
        }

        private int part(ByteBuffer bytes, long position, Transfer transfer) throws IOException {
            if (position >= failsAt) {
                throw new IOException("injected");
            }
            int length = (int) Math.min(Math.min(bytes.remaining(), random.nextInt(778)), failsAt - position);
            transfers += length < bytes.remaining() ? 1 : 0;
            int done = transfer.run(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + Math.max(done, 0));
            return done;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            if (position >= file.size()) {
                return -1;
            }
            return part(target, position, part -> part.hasRemaining() ? file.read(part, position) : 0);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            return part(source, position, part -> file.write(part, position));
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        protected void implCloseChannel() throws IOException {
            file.close();
        }

        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(ByteBuffer source) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position() {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(boolean metadata) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(long position, long count, WritableByteChannel target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(ReadableByteChannel source, long position, long count) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(MapMode mode, long position, long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) {
            throw new UnsupportedOperationException();
        }
    }

    private DiskFile open(long failsAt) throws IOException {
        System.out.println("DiskFileTest -Dloom.test.seed=" + seed);
        Path path = temp.resolve("file");
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        return new DiskFile(path, Set.of(StandardOpenOption.WRITE), new ShortChannel(channel, failsAt));
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldWriteAndReadAllWhenTheKernelDoesItByHalves() throws IOException {
        long compared = 0;
        for (int round = Integer.getInteger("loom.rounds", 1); round > 0; round--) {
            compared += writeAndRead();
        }
        System.out.println("row=R16 faults=" + transfers + " checked=" + compared + " seed=" + seed + " of=bytes");
    }

    /** How many bytes were read and compared. */
    private int writeAndRead() throws IOException {
        byte[] expected = bytes(LENGTH);
        try (DiskFile file = open(Long.MAX_VALUE)) {
            int middle = random.nextInt(LENGTH);
            file.write(ByteBuffer.wrap(expected, middle, LENGTH - middle), middle);
            file.write(ByteBuffer.wrap(expected, 0, middle), 0);
            assertArrayEquals(expected, Files.readAllBytes(file.path()));
            int from = random.nextInt(LENGTH);
            int length = random.nextInt(LENGTH - from);
            ByteBuffer found = ByteBuffer.allocate(length + 3).position(3);
            assertEquals(length, file.read(found, from));
            assertArrayEquals(
                    Arrays.copyOfRange(expected, from, from + length),
                    Arrays.copyOfRange(found.array(), 3, found.capacity()));
            return length;
        }
    }

    @Test
    void shouldReadUpToTheEndOfTheFile() throws IOException {
        byte[] expected = bytes(5_000);
        try (DiskFile file = open(Long.MAX_VALUE)) {
            file.write(ByteBuffer.wrap(expected), 0);
            ByteBuffer found = ByteBuffer.allocate(8_000);
            assertEquals(4_000, file.read(found, 1_000));
            assertArrayEquals(Arrays.copyOfRange(expected, 1_000, 5_000), Arrays.copyOfRange(found.array(), 0, 4_000));
            assertEquals(0, file.read(ByteBuffer.allocate(10), 5_000));
        }
    }

    @Test
    void shouldTellWhereAWriteOrReadFailed() throws IOException {
        try (DiskFile file = open(3_000)) {
            ByteBuffer source = ByteBuffer.wrap(bytes(4_000)).position(500);
            StoreIoException write = assertThrows(StoreIoException.class, () -> file.write(source, 1_000));
            String offset = "file=" + file.path() + ", offset=3000";
            assertTrue(String.valueOf(write.getMessage()).contains(offset), write::getMessage);
            assertEquals(2_500, source.position(), "what is written is passed over");
            assertEquals(3_000, Files.size(file.path()));
        }
        Files.write(temp.resolve("file"), bytes(9_000));
        try (DiskFile file = open(3_000)) {
            StoreIoException read =
                    assertThrows(StoreIoException.class, () -> file.read(ByteBuffer.allocate(4_000), 1_000));
            assertTrue(String.valueOf(read.getMessage()).contains("offset=3000"), read::getMessage);
        }
    }
}
