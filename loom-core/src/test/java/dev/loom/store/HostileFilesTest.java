package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.error.LoomException;
import dev.loom.io.Storage;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files that say what can't be, though their checksums are right: whoever reads them gets an answer or a typed error, in time,
 * and takes little memory for it.
 */
@Timeout(value = 12, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostileFilesTest {
    private static final int INPUTS = Integer.getInteger("loom.hostile.inputs", 15);
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int WRITE_EVERY = Integer.getInteger("loom.hostile.write", 8);
    private static final long DEADLINE_S = 30;

    /** What reading the image as it was takes is some 20 MiB, schema and payloads of jumbos included. */
    private static final long HEAP_MAX = 256L << 20;

    private static final int FAILURES_MAX = 20;

    @TempDir
    static Path temp;

    /** Stores by their kind: each is written once, and put back before each test of it. */
    private static final Map<String, StoreImage> IMAGES = new HashMap<>();

    private ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Map<String, Integer> failures = new TreeMap<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({
        "closed, loom.mark",
        "killed, loom.mark",
        "killed gap, loom.mark",
        "closed, schema.log",
        "killed, schema.log",
        "closed, record/",
        "closed, time/",
        "closed gap, time/",
        "closed, chunk/",
        "killed, time/",
        "killed, record/",
        "killed, live",
        "killed gap, live",
        "killed, record.ring",
        "killed, time.ring",
        "killed, chunk.ring"
    })
    void shouldAnswerOrFailTypedWhenFilesLie(String kind, String files) throws Exception {
        StoreImage image = image(kind);
        Path store = image.store();
        List<Path> targets = image.files(files);
        assertTrue(!targets.isEmpty(), "no such files");
        String whole = new StoreExercise(store).read();
        assertTrue(whole.contains(kind.startsWith("killed") ? "state=DEAD" : "state=CLOSED"), whole);
        assertEquals(whole, new StoreExercise(store).read());
        long storeId =
                new MarkFile(Storage.DISK, store.resolve("loom.mark")).read().storeId();
        System.out.println("HostileFilesTest -Dloom.test.seed=" + SEED + " kind=" + kind + " files=" + files);
        for (int input = 0; input < INPUTS && failures.size() < FAILURES_MAX; input++) {
            Random random = new Random(SEED + input);
            HostileMutation mutation = new HostileMutation(random, storeId);
            Map<Path, byte[]> changed = new HashMap<>();
            Path target = targets.get(random.nextInt(targets.size()));
            changed.put(target, mutation.change(target, image.content(target)));
            boolean write = random.nextInt(WRITE_EVERY) == 0;
            image.put(changed);
            run(input, () -> new StoreExercise(store).read());
            if (write) {
                boolean rebuild = random.nextInt(4) == 0;
                run(input, () -> write(store, rebuild));
                image.restore();
            } else {
                image.put(Map.of(target, image.content(target)));
            }
        }
        System.out.println("  outcomes: " + outcomes);
        System.out.println("row=R10 faults=" + INPUTS + " checked="
                + outcomes.values().stream().mapToInt(Integer::intValue).sum() + " seed=" + SEED);
        failures.forEach((failure, count) -> System.out.println("  " + count + " x " + failure));
        assertTrue(failures.isEmpty(), () -> "seed=" + SEED + ", failures=" + failures.keySet());
    }

    private static StoreImage image(String kind) throws Exception {
        StoreImage image = IMAGES.get(kind);
        if (image == null) {
            Path store = temp.resolve(kind);
            HaltingProcess.run(HostileWriter.class, store.toString(), kind);
            image = StoreImage.of(store);
            IMAGES.put(kind, image);
        }
        image.restore();
        return image;
    }

    private static String write(Path store, boolean rebuild) {
        new StoreExercise(store).write(rebuild);
        // opened once, all of it can be read; what was wrong is damage now, or gone
        return new StoreExercise(store).read();
    }

    private interface Call {
        String run();
    }

    private void run(int input, Call call) throws InterruptedException {
        Thread[] running = new Thread[1];
        Future<String> outcome = thread.submit(() -> {
            running[0] = Thread.currentThread();
            ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = memory.getThreadAllocatedBytes(Thread.currentThread().getId());
            String result;
            try {
                call.run();
                result = "answer";
            } catch (LoomException e) {
                result = e.getClass().getSimpleName();
            }
            long taken = memory.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            return taken > HEAP_MAX ? "takes " + (taken >> 20) + " MiB" : result;
        });
        try {
            String result = outcome.get(DEADLINE_S, TimeUnit.SECONDS);
            if (result.startsWith("takes")) {
                fail(input, result.replaceAll("[0-9]+", "N"), "");
            }
            outcomes.merge(result, 1, Integer::sum);
        } catch (ExecutionException e) {
            fail(input, String.valueOf(e.getCause()), where(e.getCause().getStackTrace()));
        } catch (TimeoutException e) {
            fail(input, "hangs", where(running[0].getStackTrace()));
            thread = Executors.newSingleThreadExecutor();
        }
    }

    private void fail(int input, String what, String where) {
        String failure = what.replaceAll("[0-9a-f-]{4,}", "N") + where;
        if (failures.merge(failure, 1, Integer::sum) == 1) {
            System.out.println("  input=" + input + ": " + what + where);
        }
    }

    private static String where(StackTraceElement[] frames) {
        List<String> ours = new ArrayList<>();
        Arrays.stream(frames)
                .filter(frame -> frame.getClassName().startsWith("dev.loom"))
                .limit(6)
                .forEach(frame -> ours.add(frame.getFileName() + ":" + frame.getLineNumber()));
        return " at " + String.join(" < ", ours);
    }
}
