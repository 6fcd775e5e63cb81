package dev.loom.io;

import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;

/** Another file, for subclasses to change some of its calls. */
public abstract class ForwardingFile implements LoomFile {
    private final LoomFile file;

    protected ForwardingFile(LoomFile file) {
        this.file = file;
    }

    @Override
    public Path path() {
        return file.path();
    }

    @Override
    public void write(ByteBuffer source, long position) {
        file.write(source, position);
    }

    @Override
    public int read(ByteBuffer target, long position) {
        return file.read(target, position);
    }

    @Override
    public long size() {
        return file.size();
    }

    @Override
    public void truncate(long size) {
        file.truncate(size);
    }

    @Override
    public void force() {
        file.force();
    }

    @Override
    public MappedByteBuffer map(boolean writable, long position, long length) {
        return file.map(writable, position, length);
    }

    @Override
    public void close() {
        file.close();
    }
}
