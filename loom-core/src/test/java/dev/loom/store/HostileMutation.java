package dev.loom.store;

import dev.loom.log.LogKind;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/** Changes bytes of a file at random, and mends its checksums, so that nothing but what the bytes say is wrong. */
@SuppressWarnings("ByteBufferBackingArray") // all of them wrap a whole array
final class HostileMutation {
    private static final int MARK_SLOT_LENGTH = 4096;
    private static final int SCHEMA_HEADER_LENGTH = 16;
    private static final long[] BOUNDS = {
        0,
        1,
        -1,
        2,
        7,
        8,
        63,
        64,
        255,
        65_535,
        65_536,
        65_537,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE - 65_535,
        1L << 32,
        1L << 40,
        1L << 44,
        1L << 48,
        1L << 62,
        -65_536,
        -8
    };

    private final Random random;
    private final long storeId;

    HostileMutation(Random random, long storeId) {
        this.random = random;
        this.storeId = storeId;
    }

    /** Changes one part of a file whose kind its name tells. */
    byte[] change(Path path, byte[] content) {
        ByteBuffer bytes = ByteBuffer.wrap(content.clone()).order(ByteOrder.LITTLE_ENDIAN);
        String name = path.getFileName().toString();
        if (name.equals("loom.mark")) {
            changeMark(bytes);
        } else if (name.equals("schema.log")) {
            changeSchema(bytes);
        } else if (name.endsWith(".seg")) {
            changePages(path, bytes);
        } else if (name.equals("live")) {
            // watermarks, an error, and the first slots of sources and losses
            int losses = 4096 + 65_536 * 64;
            int[] starts = {0, 128, 256, 512, 768, 4096, 4096, losses};
            int start = starts[random.nextInt(starts.length)];
            change(bytes, start, start == 4096 || start == losses ? 512 : start == 0 ? 128 : 200);
        } else {
            int page = random.nextInt(bytes.capacity() / PageDescriptor.PAGE_LENGTH) * PageDescriptor.PAGE_LENGTH;
            change(bytes, page, used(bytes, page));
        }
        return bytes.array();
    }

    private void changeMark(ByteBuffer bytes) {
        boolean both = random.nextBoolean();
        int slot = random.nextInt(2) * MARK_SLOT_LENGTH;
        // the texts too, but mostly what is before them
        change(bytes, slot + 8, random.nextInt(4) == 0 ? 500 : 250);
        mendMark(bytes, slot);
        if (both) {
            byte[] changed = new byte[MARK_SLOT_LENGTH];
            bytes.get(slot, changed).put(MARK_SLOT_LENGTH - slot, changed);
        }
    }

    private static void mendMark(ByteBuffer bytes, int slot) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), slot, MARK_SLOT_LENGTH - Integer.BYTES);
        bytes.putInt(slot + MARK_SLOT_LENGTH - Integer.BYTES, (int) crc.getValue());
    }

    private void changeSchema(ByteBuffer bytes) {
        int entry = 0;
        int skip = random.nextInt(14);
        int next = length(bytes, entry);
        while (skip-- > 0 && entry + next + SCHEMA_HEADER_LENGTH <= bytes.capacity()) {
            entry += next;
            next = length(bytes, entry);
        }
        int body = bytes.getInt(entry + 4);
        change(bytes, entry + 4, 4 + body + 8);
        long length = bytes.getInt(entry + 4);
        if (length >= 0 && length <= bytes.capacity() - entry - SCHEMA_HEADER_LENGTH) {
            CRC32C crc = new CRC32C();
            ByteBuffer seed = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            crc.update(seed.putLong(storeId).putLong(entry).flip());
            crc.update(bytes.array(), entry, 12);
            crc.update(bytes.array(), entry + SCHEMA_HEADER_LENGTH, (int) length);
            bytes.putInt(entry + 12, (int) crc.getValue());
        }
    }

    private static int length(ByteBuffer bytes, int entry) {
        return (SCHEMA_HEADER_LENGTH + bytes.getInt(entry + 4) + 7) & -8;
    }

    private void changePages(Path path, ByteBuffer bytes) {
        String name = path.getFileName().toString();
        long first = Long.parseLong(name.substring(0, name.length() - 4));
        String folder = path.getParent().getFileName().toString();
        LogKind kind = folder.equals("record") ? LogKind.RECORD : folder.equals("time") ? LogKind.TIME : LogKind.CHUNK;
        int page = random.nextInt(bytes.capacity() / PageDescriptor.PAGE_LENGTH) * PageDescriptor.PAGE_LENGTH;
        change(bytes, page + 24, used(bytes, page) - 24);
        new PageChecksum(kind, storeId).fill(bytes, page, first + page);
    }

    private static int used(ByteBuffer bytes, int page) {
        int used = PageDescriptor.used(new UnsafeBuffer(bytes.array()), page);
        return used > 64 && used <= PageDescriptor.PAGE_LENGTH ? used : PageDescriptor.PAGE_LENGTH;
    }

    private void change(ByteBuffer bytes, int from, int length) {
        int to = Math.min(from + length, bytes.capacity());
        for (int i = random.nextInt(3); i >= 0; i--) {
            // near the beginning half of the time: headers
            int range = random.nextBoolean() ? Math.min(to - from, 128) : to - from;
            changeOnce(bytes, from + random.nextInt(range), to);
        }
    }

    private void changeOnce(ByteBuffer bytes, int at, int to) {
        int word = Math.min(at & -8, to - 8);
        int half = Math.min(at & -4, to - 4);
        switch (random.nextInt(8)) {
            case 0 -> bytes.put(at, (byte) (bytes.get(at) ^ 1 << random.nextInt(8)));
            case 1 -> bytes.put(at, (byte) random.nextInt());
            case 2 -> bytes.putInt(half, (int) BOUNDS[random.nextInt(BOUNDS.length)]);
            case 3 -> bytes.putLong(word, BOUNDS[random.nextInt(BOUNDS.length)]);
            case 4 -> bytes.putLong(word, bytes.getLong(word) + BOUNDS[random.nextInt(BOUNDS.length)]);
            case 5 -> bytes.putLong(word, random.nextLong());
            case 6 -> bytes.put(at, (byte) (bytes.get(at) + random.nextInt(5) - 2));
            default -> bytes.putLong(word, bytes.getLong(Math.max(0, word - 8 * random.nextInt(32))));
        }
    }
}
