package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A disk for those who can do without a block that it does not deliver. A block that it refuses several times, while it delivers others
 * of the file, reads as {@link #FILLER} from then on, until it is written again: so all who read it see the same, and no checksum holds.
 */
public final class LenientStorage extends ForwardingStorage {
    /** No zeroes, which would look as if nothing had ever been written there. */
    public static final byte FILLER = -1;

    private static final int BLOCK_LENGTH = 4096;
    /** Of 8 TiB; what is behind is not given up. */
    private static final int BLOCKS_MAX = Integer.MAX_VALUE;

    private static final int READ_ATTEMPTS = 5;

    /** Of a file that is no longer than this, all may be bad. */
    private static final int SMALL_LENGTH = 128 << 10;

    /** How many blocks are asked for, over all of a file, until one is delivered. */
    private static final int PROBES = 16;

    private final Storage disk;
    private final Path witness;
    /** The blocks of each file that were given up. Guarded by itself. */
    private final Map<Path, BitSet> bad = new HashMap<>();

    /** A part of a file that the disk did not deliver. */
    public record Unread(Path file, long from, long length) {
        @Override
        public String toString() {
            return from + "-" + (from + length - 1);
        }
    }

    private LenientStorage(Storage disk, Path witness) {
        super(disk);
        this.disk = disk;
        this.witness = witness;
    }

    /**
     * A disk read leniently; the same one if it is already.
     *
     * @param witness another file, which shows that the disk works where a small file has nothing else to show it; those of its name are
     *     read as they are
     */
    public static LenientStorage of(Storage disk, Path witness) {
        return disk instanceof LenientStorage lenient ? lenient : new LenientStorage(disk, witness);
    }

    /** The parts of a range of a file that were given up, as far as it was read, each as long as can be. */
    public List<Unread> unread(Path file, long from, long length) {
        List<Unread> parts = new ArrayList<>();
        synchronized (bad) {
            BitSet blocks = bad.get(file);
            if (blocks == null) {
                return List.of();
            }
            long end = length > Long.MAX_VALUE - from ? Long.MAX_VALUE : from + length;
            int block = blocks.nextSetBit(block(from));
            while (block >= 0 && start(block) < end) {
                int next = blocks.nextClearBit(block);
                long begin = Math.max(from, start(block));
                parts.add(new Unread(file, begin, Math.min(end, start(next)) - begin));
                block = blocks.nextSetBit(next);
            }
        }
        return parts;
    }

    private static int block(long position) {
        return (int) Math.min(position / BLOCK_LENGTH, BLOCKS_MAX);
    }

    private static long start(int block) {
        return (long) block * BLOCK_LENGTH;
    }

    private boolean isBad(Path file, int block) {
        synchronized (bad) {
            BitSet blocks = bad.get(file);
            return blocks != null && blocks.get(block);
        }
    }

    private void giveUp(Path file, int block) {
        synchronized (bad) {
            bad.computeIfAbsent(file, unused -> new BitSet()).set(block);
        }
    }

    /** What is written again, or is there no more, was not given up. */
    private void forget(Path file, int from, int to) {
        synchronized (bad) {
            BitSet blocks = bad.get(file);
            if (blocks != null) {
                blocks.clear(from, to);
            }
        }
    }

    private final class LenientFile extends ForwardingFile {
        private final LoomFile file;

        LenientFile(LoomFile file) {
            super(file);
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int start = target.position();
            int limit = target.limit();
            if (unread(path(), position, limit - start).isEmpty()) {
                try {
                    return file.read(target, position);
                } catch (StoreIoException e) {
                    target.position(start); // block by block, so that the bad ones alone are missing
                }
            }
            boolean ended = false;
            while (target.position() < limit && !ended) {
                long at = position + target.position() - start;
                int length = (int) Math.min(BLOCK_LENGTH - at % BLOCK_LENGTH, limit - target.position());
                ended = readBlock(target.limit(target.position() + length), at) < length;
            }
            target.limit(limit);
            return target.position() - start;
        }

        /** Reads a block, or a part of one. */
        private int readBlock(ByteBuffer target, long at) {
            int start = target.position();
            if (!isBad(path(), block(at))) {
                try {
                    return file.read(target, at, READ_ATTEMPTS);
                } catch (StoreIoException e) {
                    if (block(at) == BLOCKS_MAX || !deliversOther(block(at))) {
                        throw e;
                    }
                }
                try {
                    return file.read(target, at); // for a moment, the disk may have delivered nothing
                } catch (StoreIoException e) {
                    giveUp(path(), block(at));
                }
            }
            int length = (int) Math.max(0, Math.min(target.remaining(), file.size() - at));
            while (target.position() < start + length) {
                target.put(FILLER);
            }
            return length;
        }

        /** Whether the disk delivers another block, so that it is the block that is bad. */
        private boolean deliversOther(int block) {
            long size = file.size();
            boolean delivers = delivers(block - 1, size) || delivers(block + 1, size);
            for (int i = 0; i < PROBES && !delivers; i++) {
                int probe = block(size / PROBES * i);
                delivers = probe != block && delivers(probe, size);
            }
            if (!delivers && size <= SMALL_LENGTH) {
                try (LoomFile other = disk.openToRead(witness)) {
                    return other.read(ByteBuffer.allocate(BLOCK_LENGTH), 0) > 0;
                } catch (StoreIoException e) {
                    return false;
                }
            }
            return delivers;
        }

        private boolean delivers(int block, long size) {
            try {
                return block >= 0
                        && start(block) < size
                        && !isBad(path(), block)
                        && file.read(ByteBuffer.allocate(BLOCK_LENGTH), start(block)) > 0;
            } catch (StoreIoException e) {
                return false;
            }
        }

        @Override
        public void write(ByteBuffer source, long position) {
            long end = position + source.remaining();
            file.write(source, position);
            forget(path(), block(position), block(end + BLOCK_LENGTH - 1));
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
            forget(path(), block(size + BLOCK_LENGTH - 1), BLOCKS_MAX);
        }
    }

    @Override
    public LoomFile openToRead(Path file) {
        LoomFile opened = disk.openToRead(file);
        return file.endsWith(witness.getFileName()) ? opened : new LenientFile(opened);
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        return new LenientFile(disk.openToWrite(file, direct));
    }

    @Override
    public LoomFile openToRewrite(Path file) {
        return new LenientFile(disk.openToRewrite(file));
    }

    @Override
    public void delete(Path file) {
        disk.delete(file);
        forget(file, 0, BLOCKS_MAX);
    }

    @Override
    public void rename(Path file, Path name) {
        disk.rename(file, name);
        forget(file, 0, BLOCKS_MAX);
        forget(name, 0, BLOCKS_MAX);
    }
}
