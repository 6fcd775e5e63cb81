package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file's identity, the same for every name, link or bind mount. */
public record FileId(long device, long inode) {
    /** The identity of no file: inodes count from 1. */
    public static final FileId NONE = new FileId(0, 0);

    public static FileId of(Path file) {
        FileId id = find(file);
        if (id.inode == 0) {
            throw new StoreIoException("file can't be identified because it does not exist: file=" + file);
        }
        return id;
    }

    /** As {@link #of}, but {@link #NONE} if the file does not exist. */
    public static FileId find(Path file) {
        try {
            Map<String, Object> values = Files.readAttributes(file, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
            return new FileId(number(values.get("dev")), number(values.get("ino")));
        } catch (NoSuchFileException e) {
            return NONE;
        } catch (IOException e) {
            throw new StoreIoException("file can't be identified: file=" + file + ", reason=" + e, e);
        }
    }

    private static long number(@Nullable Object value) {
        return ((Number) Objects.requireNonNull(value)).longValue();
    }
}
