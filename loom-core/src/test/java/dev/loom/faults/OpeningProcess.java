package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.error.StoreLockedException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The main class of a process that opens a store as often as it is told, and pushes one record each time. It says {@code
 * open}, or {@code locked} and the owner's pid; each line that it reads ends what it has open.
 */
final class OpeningProcess {
    private OpeningProcess() {}

    /** Arguments: directory, how often to open it, whether to hold what is open until a line comes. */
    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        boolean hold = Boolean.parseBoolean(args[2]);
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            try (Loom loom = Loom.open(StoreAccess.small(directory).build())) {
                LockTest.pushOne(loom);
                System.out.println("open");
                if (hold && System.in.read() < 0) {
                    return;
                }
            } catch (StoreLockedException e) {
                System.out.println("locked " + e.ownerPid());
            }
        }
        System.out.println("done");
    }
}
