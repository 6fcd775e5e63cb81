package dev.loom.cli.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Server, filter and clients, which talk over loopback sockets of this process. One thread starts, awaits and closes it. */
final class Workload implements AutoCloseable {
    /** How long the last connections may take to end after the clients. */
    private static final long END_SECONDS_MAX = 60;

    private final Schedule schedule;
    private final Workers workers;
    private final ServerCounts counts;
    private final KeyValueServer server;
    private final PacketFilter filter;
    private final List<KeyValueClient> clients = new ArrayList<>();
    private final CountDownLatch clientsRunning;

    private Workload(WorkloadPlan plan, TelemetrySink sink) throws IOException {
        schedule = new Schedule(plan);
        workers = new Workers(schedule::stop);
        clientsRunning = new CountDownLatch(plan.clients());
        counts = new ServerCounts(plan.slow());
        server = new KeyValueServer(counts, sink, workers);
        try {
            filter = new PacketFilter(server.port(), schedule, sink, workers);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        for (int i = 1; i <= plan.clients(); i++) {
            clients.add(new KeyValueClient(i, filter.port(), plan, schedule, sink));
        }
    }

    /** Starts everything; many threads send records to {@code sink}. */
    static Workload start(WorkloadPlan plan, TelemetrySink sink) throws IOException {
        Workload workload = new Workload(plan, sink);
        int number = 1;
        for (KeyValueClient client : workload.clients) {
            workload.workers.start("client-" + number, () -> workload.runClient(client));
            number++;
        }
        return workload;
    }

    int serverPort() {
        return server.port();
    }

    int filterPort() {
        return filter.port();
    }

    /** Waits until the clients have finished or the time is over; returns whether they have finished. */
    boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        return clientsRunning.await(timeout, unit);
    }

    /** Ends the run early. */
    void stop() {
        schedule.stop();
    }

    /** Waits until all threads have ended, and so the last record is out; returns their counts. */
    Ledger finish() throws IOException, InterruptedException {
        clientsRunning.await();
        close();
        workers.join(END_SECONDS_MAX, TimeUnit.SECONDS);
        Set<Long> slowIds = new HashSet<>();
        long requests = 0;
        long retries = 0;
        for (KeyValueClient client : clients) {
            slowIds.addAll(client.slowIds());
            requests += client.requests();
            retries += client.retries();
        }
        return new Ledger(
                requests,
                slowIds,
                schedule.mangledIds(),
                retries,
                counts.stuckPorts(),
                counts.bytesReceived(),
                counts.bytesSent());
    }

    /** Ends the run if it has not ended, and accepts no more connections. */
    @Override
    public void close() throws IOException {
        stop();
        try (server;
                filter) {
            // both are closed, whichever fails
        }
    }

    private void runClient(KeyValueClient client) throws IOException {
        try {
            client.run();
        } finally {
            clientsRunning.countDown();
        }
    }
}
