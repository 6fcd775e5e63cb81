package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.JavaProcess;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.StoreLockedException;
import dev.loom.format.Formats;
import dev.loom.store.MarkForger;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One writer, by whatever way a second one comes to the store. */
class LockTest {
    private static final String SOURCE = "opened";
    private static final long OWN_PID = ProcessHandle.current().pid();

    @TempDir
    Path temp;

    static void pushOne(Loom loom) {
        int id = loom.source(SOURCE).map(Source::id).orElseGet(() -> loom.defineSource(SOURCE, Formats.parse("bytes")));
        assertTrue(loom.push(id, new byte[8]) >= 0);
    }

    private static Loom open(Path directory) {
        return Loom.open(StoreAccess.small(directory).build());
    }

    private static void assertLocked(Path directory, long pid) {
        StoreLockedException refused = assertThrows(StoreLockedException.class, () -> open(directory));
        assertEquals(pid, refused.ownerPid(), "owner's pid by the exception");
        assertTrue(String.valueOf(refused.getMessage()).contains("pid=" + pid), refused::getMessage);
    }

    @Test
    void shouldNameTheOwnerWhenAnotherProcessWrites() throws IOException {
        Path store = temp.resolve("store");
        try (JavaProcess owner = JavaProcess.start(OpeningProcess.class, store, 1, true)) {
            assertEquals("open", owner.line());
            assertLocked(store, owner.pid());
            assertLocked(Files.createSymbolicLink(temp.resolve("link"), store), owner.pid());
            assertLocked(temp.resolve("link/../store"), owner.pid());
            assertLocked(hardLinked(store), owner.pid());
            try (JavaProcess third = JavaProcess.start(OpeningProcess.class, store, 1, true)) {
                assertEquals("locked " + owner.pid(), third.line());
            }
            MarkForger.owner(store, 1, 12_345);
            assertLocked(store, -1);
            owner.kill();
        }
        open(store).close();
    }

    @Test
    void shouldRefuseABindMountOfTheDirectory() throws IOException {
        Path store = temp.resolve("store");
        Path mounted = Files.createDirectory(temp.resolve("mounted"));
        try (Loom loom = open(store);
                Mount mount = Mount.bind(store, mounted)) {
            pushOne(loom);
            assertLocked(mount.target(), OWN_PID);
            try (JavaProcess other = JavaProcess.start(OpeningProcess.class, mounted, 1, true)) {
                assertEquals("locked " + OWN_PID, other.line());
            }
        }
    }

    /** A directory with other names of the same files. */
    private Path hardLinked(Path store) throws IOException {
        Path copy = temp.resolve("hard-linked");
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.toList()) {
                Path target = copy.resolve(store.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectory(target);
                } else {
                    Files.createLink(target, file);
                }
            }
        }
        return copy;
    }

    @Test
    void shouldKeepTheLockWhenTheSameProcessTriesAgain() throws Exception {
        Path store = temp.resolve("store");
        try (Loom loom = open(store);
                URLClassLoader stranger = strangeLoader()) {
            assertLocked(store, OWN_PID);
            Throwable refused = openBy(stranger, store);
            assertEquals(
                    StoreLockedException.class.getName(), refused.getClass().getName());
            assertFalse(refused instanceof StoreLockedException, "the class loader is not another one");
            assertEquals(OWN_PID, refused.getClass().getMethod("ownerPid").invoke(refused));
            try (JavaProcess other = JavaProcess.start(OpeningProcess.class, store, 1, true)) {
                assertEquals("locked " + OWN_PID, other.line(), "the refused attempt has dropped the lock");
            }
            pushOne(loom);
        }
        open(store).close();
    }

    private static URLClassLoader strangeLoader() throws MalformedURLException {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static Throwable openBy(ClassLoader loader, Path store) throws ReflectiveOperationException {
        Class<?> loom = loader.loadClass(Loom.class.getName());
        Class<?> config = loader.loadClass(LoomConfig.class.getName());
        Object builder = config.getMethod("at", Path.class).invoke(null, store);
        Object settings = builder.getClass().getMethod("build").invoke(builder);
        return assertThrows(
                        InvocationTargetException.class,
                        () -> loom.getMethod("open", config).invoke(null, settings))
                .getCause();
    }

    @Test
    void shouldNotTakeAnotherProcessForTheOwnerWhenItsPidIsUsedAgain() throws IOException {
        Path store = temp.resolve("store");
        try (JavaProcess owner = JavaProcess.start(OpeningProcess.class, store, 1, true)) {
            assertEquals("open", owner.line());
            owner.kill();
        }
        MarkForger.owner(store, OWN_PID, 12_345);
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            assertFalse(snapshot.live(), "a process of another start time counts as the owner");
            assertEquals(
                    1,
                    snapshot.statistics(snapshot.source(SOURCE).orElseThrow().id())
                            .records());
        }
        open(store).close();
    }

    /** Each owner pushes one record, so a second owner at a time would lose one, or make a recovery necessary. */
    @Test
    void shouldHaveOneOwnerAtATimeWhenManyOpenAtOnce() throws Exception {
        Path store = temp.resolve("store");
        open(store).close();
        AtomicInteger opened = new AtomicInteger();
        AtomicInteger owners = new AtomicInteger();
        Runnable opener = () -> {
            for (int i = 0; i < 60; i++) {
                try (Loom loom = open(store)) {
                    assertEquals(1, owners.incrementAndGet());
                    pushOne(loom);
                    opened.incrementAndGet();
                    owners.decrementAndGet();
                } catch (StoreLockedException e) {
                    Thread.onSpinWait();
                }
            }
        };
        try (JavaProcess other = JavaProcess.start(OpeningProcess.class, store, 20, false)) {
            List<Thread> threads = List.of(new Thread(opener), new Thread(opener));
            threads.forEach(Thread::start);
            for (String line = other.line(); !line.equals("done"); line = other.line()) {
                opened.addAndGet(line.equals("open") ? 1 : 0);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(0L, reader.info().epoch(), "a store was recovered that nobody had left");
            assertEquals(
                    opened.get(),
                    snapshot.statistics(snapshot.source(SOURCE).orElseThrow().id())
                            .records());
        }
    }
}
