package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** A file's identity, the same by whatever name, link or bind mount it is reached. */
public record FileId(long device, long inode) {
    /** Of no file. */
    public static final FileId NONE = new FileId(0, 0);

    public static FileId of(Path file) {
        try {
            long device = ((Number) Files.getAttribute(file, "unix:dev", LinkOption.NOFOLLOW_LINKS)).longValue();
            long inode = ((Number) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS)).longValue();
            return new FileId(device, inode);
        } catch (IOException e) {
            throw new StoreIoException("file can't be identified: file=" + file + ", reason=" + e, e);
        }
    }
}
