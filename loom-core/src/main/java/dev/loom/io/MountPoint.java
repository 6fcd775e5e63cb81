package dev.loom.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a file system is mounted, by {@code /proc/self/mountinfo}.
 *
 * @param point the directory on which it is mounted
 * @param fileSystem what distinguishes it from every other file system that may be mounted there during this boot, even under
 *     the same device number; empty if nothing does, or if only a part of it is mounted
 */
public record MountPoint(Path point, String fileSystem) {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Path UUIDS = Path.of("/dev/disk/by-uuid");
    private static final Path ROOT = Path.of("/");
    private static final String AT_ROOT = "root";

    /** They end with their last mount, and what was on them with them. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

    /** Their inode numbers belong to one file each, for as long as it exists. */
    private static final Set<String> ON_DISK = Set.of("ext2", "ext3", "ext4", "xfs", "f2fs");

    /** The mount that an absolute path without links lies on; null if unknown. */
    public static @Nullable MountPoint of(Path path) {
        MountPoint found = null;
        try {
            for (String line : Files.readAllLines(TABLE, StandardCharsets.ISO_8859_1)) {
                String[] words = line.split(" ", -1);
                Path point = Path.of(decode(words[4]));
                // only the last of several mounts on one directory is seen
                if (path.startsWith(point) && (found == null || point.getNameCount() >= found.point.getNameCount())) {
                    found = new MountPoint(point, identity(point, words));
                }
            }
        } catch (IOException | RuntimeException e) {
            return null; // no such table here, or none that we understand
        }
        return found;
    }

    /** Whether the file system is known by an identity that it keeps when it is mounted again, maybe from another device. */
    public boolean isLasting() {
        return !fileSystem.isEmpty() && !fileSystem.equals(AT_ROOT) && !IN_MEMORY.contains(fileSystem);
    }

    private static String identity(Path point, String... words) {
        int type = 6; // behind it optional fields, ended by a hyphen
        while (!words[type].equals("-")) {
            type++;
        }
        boolean whole = words[3].equals("/");
        if (!whole) {
            return "";
        } else if (IN_MEMORY.contains(words[type + 1])) {
            return words[type + 1];
        } else if (!ON_DISK.contains(words[type + 1])) {
            return "";
        }
        String uuid = uuid(Path.of(decode(words[type + 2])));
        return uuid.isEmpty() && point.equals(ROOT) ? AT_ROOT : uuid;
    }

    private static String uuid(Path device) {
        try (DirectoryStream<Path> links = Files.newDirectoryStream(UUIDS)) {
            for (Path link : links) {
                if (Files.isSameFile(link, device)) {
                    return link.getFileName().toString();
                }
            }
        } catch (IOException e) {
            return ""; // as in containers
        }
        return "";
    }

    /** Blanks, tabs, line ends and backslashes are three octal digits behind a backslash. */
    private static String decode(String text) {
        byte[] from = text.getBytes(StandardCharsets.ISO_8859_1);
        byte[] to = new byte[from.length];
        int length = 0;
        for (int i = 0; i < from.length; i++) {
            if (from[i] == '\\') {
                to[length++] = (byte) Integer.parseInt(text.substring(i + 1, i + 4), 8);
                i += 3;
            } else {
                to[length++] = from[i];
            }
        }
        return new String(to, 0, length, StandardCharsets.UTF_8);
    }
}
