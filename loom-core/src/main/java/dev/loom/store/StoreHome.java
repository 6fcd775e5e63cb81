package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.MountPoint;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a store lies, as its staging records it: enough to tell later, maybe in another container or after an unmount,
 * whether the same file system is seen.
 *
 * @param directory the store's, absolute and without links
 * @param mark the identity of the file {@code loom.mark}, which moves within a file system keep
 * @param mount where its file system is mounted; null if unknown
 * @param mountId the identity of the mount point
 */
record StoreHome(Path directory, FileId mark, @Nullable MountPoint mount, FileId mountId) {
    private static final int WORDS = 6;

    static StoreHome of(StoreFiles files) {
        MountPoint mount = MountPoint.of(files.directory());
        FileId mountId = mount == null ? FileId.NONE : FileId.find(mount.point());
        return new StoreHome(files.directory(), FileId.find(files.mark()), mount, mountId);
    }

    /** A line of numbers, then the directory. */
    String text() {
        MountPoint known = mount;
        String fileSystem = known == null || known.fileSystem().isEmpty() ? "-" : known.fileSystem();
        int names = known == null ? 0 : known.point().getNameCount();
        return fileSystem
                + ' '
                + names
                + ' '
                + mountId.device()
                + ' '
                + mountId.inode()
                + ' '
                + mark.device()
                + ' '
                + mark.inode()
                + '\n'
                + directory;
    }

    /** The home that a text describes; null if it describes none. */
    static @Nullable StoreHome parse(String text) {
        int end = text.indexOf('\n');
        String[] words = text.substring(0, Math.max(end, 0)).split(" ", -1);
        if (words.length != WORDS) {
            return null;
        }
        try {
            Path directory = Path.of(text.substring(end + 1));
            int names = Integer.parseInt(words[1]);
            if (!directory.isAbsolute() || names < 0 || names > directory.getNameCount()) {
                return null;
            }
            Path point = Path.of("/").resolve(names == 0 ? Path.of("") : directory.subpath(0, names));
            return new StoreHome(
                    directory,
                    new FileId(Long.parseLong(words[4]), Long.parseLong(words[5])),
                    new MountPoint(point, words[0].equals("-") ? "" : words[0]),
                    new FileId(Long.parseLong(words[2]), Long.parseLong(words[3])));
        } catch (NumberFormatException | InvalidPathException e) {
            return null;
        }
    }

    /**
     * Whether another home is this one, of which only the device's number has changed: the same file at the same place of the same file
     * system, which was unmounted meanwhile.
     */
    boolean cameBackAs(StoreHome now) {
        MountPoint then = mount;
        return then != null
                && then.isLasting()
                && then.equals(now.mount)
                && directory.equals(now.directory)
                && mark.inode() == now.mark.inode()
                && mountId.inode() == now.mountId.inode()
                && mark.device() == mountId.device()
                && now.mark.device() == now.mountId.device();
    }

    /** Why this process may not see the store's file system in its place; null if it does. */
    @Nullable
    String unseen() {
        MountPoint then = mount;
        if (then == null || then.fileSystem().isEmpty()) {
            return "its file system can't be told from others";
        }
        try {
            boolean same = then.equals(MountPoint.of(directory))
                    && FileId.find(then.point()).equals(mountId)
                    && mark.device() == mountId.device();
            return same ? null : "its file system is not mounted here";
        } catch (StoreIoException e) {
            return "its file system can't be read";
        }
    }
}
