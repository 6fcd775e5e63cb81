package dev.loom;

import dev.loom.error.StoreIoException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A disk that does not deliver some parts of some files until they are written again. */
public final class BadDisk extends HookedStorage {
    private record Part(Path file, long from, long to) {}

    private final List<Part> bad = new CopyOnWriteArrayList<>();
    /** The reads that failed. */
    public final AtomicInteger failed = new AtomicInteger();
    /** After how many failures it delivers everything again. */
    public int failuresMax = Integer.MAX_VALUE;

    /** From now on it does not deliver a part of a file. */
    public void spoil(Path file, long from, long length) {
        bad.add(new Part(file, from, from + length));
    }

    /** From now on it delivers everything. */
    public void recover() {
        bad.clear();
    }

    @Override
    protected void onWrite(Path file, ByteBuffer source, long position, boolean direct) {
        long end = position + source.remaining();
        bad.removeIf(part -> file.equals(part.file) && position <= part.from && end >= part.to);
    }

    @Override
    protected void onRead(Path file, long position, int length) {
        for (Part part : bad) {
            if (file.equals(part.file) && position < part.to && position + length > part.from) {
                if (failed.get() < failuresMax) {
                    failed.incrementAndGet();
                    throw new StoreIoException("injected failure: file=" + file + ", offset=" + position);
                }
            }
        }
    }
}
