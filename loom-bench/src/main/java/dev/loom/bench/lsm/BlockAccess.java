package dev.loom.bench.lsm;

import static dev.loom.bench.lsm.TreeShape.BLOCK_LENGTH;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** How blocks of files are read. */
public enum BlockAccess {
    /** Past the page cache. */
    DIRECT {
        @Override
        OpenedBlocks open(Path path) throws IOException {
            return new Channel(FileChannel.open(path, StandardOpenOption.READ, directOption()));
        }
    },
    /** By positional reads: from the page cache, or on tmpfs from the file itself. */
    BUFFERED {
        @Override
        OpenedBlocks open(Path path) throws IOException {
            return new Channel(FileChannel.open(path, StandardOpenOption.READ));
        }
    },
    /** By copies out of the mapped file, without a system call: on tmpfs, memory. */
    MAPPED {
        @Override
        OpenedBlocks open(Path path) throws IOException {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                return new Mapping(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
            }
        }
    };

    /** Opens a file. */
    abstract OpenedBlocks open(Path path) throws IOException;

    /** A file's blocks. */
    interface OpenedBlocks extends AutoCloseable {
        /** Reads a block into a buffer that is aligned to blocks, from its beginning. */
        void read(int block, ByteBuffer into) throws IOException;

        @Override
        void close() throws IOException;
    }

    private record Channel(FileChannel channel) implements OpenedBlocks {
        @Override
        public void read(int block, ByteBuffer into) throws IOException {
            into.clear();
            if (channel.read(into, (long) block * BLOCK_LENGTH) != BLOCK_LENGTH) {
                throw new EOFException("block is cut off: block=" + block);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private record Mapping(ByteBuffer bytes) implements OpenedBlocks {
        @Override
        public void read(int block, ByteBuffer into) {
            into.put(0, bytes, block * BLOCK_LENGTH, BLOCK_LENGTH);
        }

        @Override
        public void close() {} // unmapped when it is collected
    }

    /** Looked up by name, since newer javac versions warn about the class. */
    private static OpenOption directOption() {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (final ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("direct I/O is not in this JVM");
    }
}
