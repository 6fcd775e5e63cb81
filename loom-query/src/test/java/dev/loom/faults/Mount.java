package dev.loom.faults;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

/** A file system that a test mounts; where it may not mount, the test is left out, and says so. */
final class Mount implements AutoCloseable {
    private final Path target;

    private Mount(Path target) {
        this.target = target;
    }

    /** Another way to a directory. */
    static Mount bind(Path directory, Path target) {
        return mount(target, "mount", "--bind", directory.toString(), target.toString());
    }

    /** A file system in memory, of so many bytes and files. */
    static Mount tmpfs(Path target, long bytes, int files) {
        String limits = "size=" + bytes + ",nr_inodes=" + files;
        return mount(target, "mount", "-t", "tmpfs", "-o", limits, "tmpfs", target.toString());
    }

    Path target() {
        return target;
    }

    private static Mount mount(Path target, String... command) {
        boolean mounted = run(command);
        assumeTrue(mounted, () -> "left out, as this user can't mount: " + String.join(" ", command));
        return new Mount(target);
    }

    private static boolean run(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectError(Redirect.DISCARD)
                            .start()
                            .onExit()
                            .join()
                            .exitValue()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        run("umount", "--lazy", target.toString());
    }
}
