package dev.loom.io;

import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The properties of the machine that the store depends on. */
public final class Platform {
    /** File systems on which processes may see locks or mappings differently. */
    private static final Set<String> NOT_COHERENT =
            Set.of("nfs", "nfs4", "9p", "virtiofs", "cifs", "smb3", "smbfs", "afs", "ceph", "lustre");

    /**
     * File systems that write overwritten data to a new place. This takes room; without any, a store into a mapped page
     * ends the thread, and maybe the process.
     */
    private static final Set<String> COPY_ON_WRITE = Set.of("btrfs", "zfs", "bcachefs", "nilfs2");

    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final Path UPTIME = Path.of("/proc/uptime");

    private Platform() {}

    /**
     * Refuses platforms that the formats and the memory model do not support.
     *
     * @throws UnsupportedStoreException with the system and the processor
     */
    public static void check() {
        String os = System.getProperty("os.name", "");
        String arch = System.getProperty("os.arch", "");
        boolean osKnown = os.equals("Linux") || os.startsWith("Mac");
        boolean archKnown = arch.equals("amd64") || arch.equals("x86_64") || arch.equals("aarch64");
        if (!osKnown || !archKnown || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new UnsupportedStoreException("platform not supported: os=" + os + ", arch=" + arch
                    + ", supported=Linux on x86-64 and aarch64, macOS for development");
        }
    }

    /**
     * Refuses a directory on a network file system.
     *
     * @param type of the file system
     */
    public static void checkShared(Path directory, String type) {
        if (NOT_COHERENT.contains(type) || type.startsWith("fuse")) {
            throw new UnsupportedStoreException("file system does not share files coherently: directory=" + directory
                    + ", type=" + type + "; use a local disk or tmpfs");
        }
    }

    /**
     * Refuses a directory whose files can't be mapped safely.
     *
     * @param type of the file system
     */
    public static void checkMapped(Path directory, String type) {
        checkShared(directory, type);
        if (COPY_ON_WRITE.contains(type)) {
            throw new UnsupportedStoreException(
                    "file system is copy-on-write, so a full disk would kill the process: directory=" + directory
                            + ", type=" + type + "; put staging on tmpfs");
        }
    }

    /** The file system that holds a directory. */
    public static FileStore fileSystem(Path directory) {
        try {
            return Files.getFileStore(directory);
        } catch (IOException e) {
            throw new StoreIoException("file system can't be read: directory=" + directory + ", reason=" + e, e);
        }
    }

    /** The id of the machine's current boot, or its boot time if the system has no such id. */
    public static String bootId() {
        try {
            if (Files.exists(BOOT_ID)) {
                return Files.readString(BOOT_ID).trim();
            }
        } catch (IOException e) {
            throw new StoreIoException("boot id can't be read: file=" + BOOT_ID + ", reason=" + e, e);
        }
        return "init-" + ProcessId.startMs(1);
    }

    /**
     * How long the machine has slept since the boot, to 10 ms, for comparison with an earlier result; always 0 if the
     * system does not tell. The uptime includes sleep, the monotonic clock does not.
     */
    public static long sleptNs() {
        try {
            String uptime = Files.readString(UPTIME);
            double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
            return Math.round(seconds * 1e9) - System.nanoTime();
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    public static long pid() {
        return ProcessHandle.current().pid();
    }
}
