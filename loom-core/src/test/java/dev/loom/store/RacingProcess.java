package dev.loom.store;

import dev.loom.Loom;
import dev.loom.WriterProcess;
import dev.loom.error.StoreLockedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The main class of a process that opens a store again and again, and says how often it got it, or what went wrong. */
final class RacingProcess {
    private RacingProcess() {}

    /** Arguments: directory, a file that only the one owner may make, rounds. Begins with the first line that it reads. */
    public static void main(String[] args) throws IOException {
        Path owned = Path.of(args[1]);
        int opened = 0;
        if (System.in.read() < 0) {
            return;
        }
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            try (Loom loom = Loom.open(WriterProcess.config(Path.of(args[0])).build())) {
                Files.createFile(owned);
                WriterProcess.push(loom, 1);
                opened++;
                Files.delete(owned);
            } catch (StoreLockedException e) {
                Thread.onSpinWait();
            } catch (Throwable e) {
                e.printStackTrace();
                System.out.println(e);
                return;
            }
        }
        System.out.println(opened);
    }
}
