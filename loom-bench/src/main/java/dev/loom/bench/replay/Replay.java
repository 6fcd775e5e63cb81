package dev.loom.bench.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Replays a plan into a sink, from a process of its own. One thread makes batches ahead; this one offers each when it is due, to a
 * bounded queue; a third one writes what the queue has to the sink's connection. What the full queue refuses is dropped, and counted.
 */
public final class Replay {
    /** Begins the line with the {@link ReplayResult}. */
    static final String RESULT = "result ";

    private static final int AHEAD = 256;

    private final ReplayPlan plan;
    private final BatchGenerator generator;
    private final BlockingQueue<ReplayBatch> free = new LinkedBlockingQueue<>();
    private final BlockingQueue<ReplayBatch> ready = new ArrayBlockingQueue<>(AHEAD);
    private final BlockingQueue<ReplayBatch> sending;
    private final ReplayBatch end;
    private final boolean paced;
    private volatile @Nullable Throwable failure;

    /**
     * Creates a replay.
     *
     * @param sliceNs the time of which a batch has the records
     * @param queueBatches how many batches may wait for the connection
     * @param paced whether batches are offered on the schedule; otherwise as fast as the sink takes them, and none is dropped
     */
    Replay(ReplayPlan plan, long sliceNs, int queueBatches, boolean paced) {
        this.plan = plan;
        this.paced = paced;
        generator = new BatchGenerator(plan, sliceNs);
        sending = new ArrayBlockingQueue<>(queueBatches);
        end = generator.end();
        final long buffers = Math.min(generator.batches(), AHEAD + queueBatches + 2L);
        for (long i = 0; i < buffers; i++) {
            free.add(generator.newBatch());
        }
    }

    /**
     * The process: plan, port of the sink, slice in ns, batches of the queue, whether it is paced. Prints a line each second, and the
     * result.
     */
    public static void main(String[] arguments) throws Exception {
        final Replay replay = new Replay(
                ReplayPlan.parse(arguments[0]),
                Long.parseLong(arguments[2]),
                Integer.parseInt(arguments[3]),
                Boolean.parseBoolean(arguments[4]));
        try (SocketChannel sink = SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])))) {
            System.out.println(RESULT + new ObjectMapper().writeValueAsString(replay.run(sink, System.out)));
        }
    }

    /** Replays everything, and returns when the sink has said that it has all. */
    ReplayResult run(SocketChannel sink, PrintStream out) throws Exception {
        final Thread maker = thread("replay-generator", this::generate);
        final Thread sender = thread("replay-sender", () -> send(sink));
        try {
            while (ready.remainingCapacity() > 0 && !free.isEmpty() && failure == null) {
                LockSupport.parkNanos(1_000_000);
            }
            final OpenLoop schedule = new OpenLoop(out, System::nanoTime, LockSupport::parkNanos);
            schedule.start();
            final long startNs = System.nanoTime();
            for (long number = 0; number < generator.batches(); number++) {
                final ReplayBatch batch = await(ready);
                if (!schedule.offer(batch, paced ? generator.dueNs(number) : 0, this::hand)) {
                    free.add(batch);
                }
            }
            hand(end, true);
            sender.join();
            check();
            return schedule.result(System.nanoTime() - startNs);
        } finally {
            maker.interrupt();
            sender.interrupt();
        }
    }

    private boolean hand(ReplayBatch batch) throws InterruptedException {
        return hand(batch, !paced);
    }

    /** Gives a batch to the sender; waits for room, if it must get there, as long as the sender lives. */
    private boolean hand(ReplayBatch batch, boolean must) throws InterruptedException {
        boolean taken = sending.offer(batch);
        while (must && !taken) {
            check();
            taken = sending.offer(batch, 1, java.util.concurrent.TimeUnit.SECONDS);
        }
        return taken;
    }

    private ReplayBatch await(BlockingQueue<ReplayBatch> queue) throws InterruptedException {
        ReplayBatch batch = null;
        while (batch == null) {
            check();
            batch = queue.poll(1, java.util.concurrent.TimeUnit.SECONDS);
        }
        return batch;
    }

    private void check() {
        final Throwable failed = failure;
        if (failed != null) {
            throw new IllegalStateException("replay failed: plan=" + plan, failed);
        }
    }

    /** The work of a thread. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private Thread thread(String name, Work work) {
        final Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (final InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (final Exception | Error e) {
                        failure = e;
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void generate() throws InterruptedException {
        for (long number = 0; number < generator.batches(); number++) {
            final ReplayBatch batch = free.take();
            generator.fill(batch);
            ready.put(batch);
        }
    }

    private void send(SocketChannel sink) throws InterruptedException, IOException {
        ReplayBatch batch;
        do {
            batch = sending.take();
            final ByteBuffer bytes = batch.bytes();
            while (bytes.hasRemaining()) {
                sink.write(bytes);
            }
            free.add(batch);
        } while (batch != end);
        if (sink.read(ByteBuffer.allocate(1)) < 1) {
            throw new IOException("sink ended without its acknowledgement");
        }
    }
}
