package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.cli.archive.ArchiveEnd;
import dev.loom.cli.archive.ArchiveReader;
import dev.loom.cli.archive.ArchiveSchema;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Progress;
import dev.loom.error.StoreLockedException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.server.time.TimePrinter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Imports archives into a store, merged by arrival time, which the records keep. Memory: a block of each archive and the records
 * that it keeps, besides the store's own. For one thread, the store's writer.
 */
final class ArchiveImport {
    /** As many as a store can have. */
    private static final int SOURCES_MAX = 65_535;

    private final Console console;
    private final Path directory;
    private final List<String> files;
    private final List<ArchiveReader> archives;
    private final List<String> prefixes;
    private final TimePrinter times = new TimePrinter(ZoneOffset.UTC);
    private final UnsafeBuffer payload = new UnsafeBuffer(0, 0);
    private long records;
    private long bytes;

    /**
     * Prepares to import.
     *
     * @param files the names of the archives, for messages
     * @param prefixes what each archive's sources have in front of their names
     */
    ArchiveImport(
            Console console, Path directory, List<String> files, List<ArchiveReader> archives, List<String> prefixes) {
        this.console = console;
        this.directory = directory;
        this.files = files;
        this.archives = archives;
        this.prefixes = prefixes;
    }

    /** Imports all of them; what came before damage stays. Returns the exit code. */
    int run(DoubleSupplier share) throws IOException {
        requireDifferent();
        long startNs = System.nanoTime();
        boolean whole = false;
        ArchiveMerge merge = new ArchiveMerge(archives);
        if (console.interruption().requested()) {
            return ExitCode.INTERRUPTED; // what was read of the archives may be less than the whole
        }
        int count = plan(merge);
        // without a record or a loss, a new store begins with the range, so that later archives can follow
        ArchivedClock clock = new ArchivedClock(firstTimeNs(merge, beginNs()));
        try (Progress progress = new Progress(console, "records imported");
                DirectStore store = open(clock)) {
            progress.of(share);
            Loom loom = store.loom();
            ArchivedSources targets;
            try (Snapshot snapshot = loom.snapshot()) {
                // opening has stored a record of its own
                requireLater(snapshot.lastTimeNs() - 1, merge);
                targets = targets(snapshot.sources()); // another writer may have defined some since they were planned
            }
            targets.define(loom);
            copy(merge, loom, clock, targets, progress);
            whole = !console.interruption().requested();
            if (whole) {
                noteLosses(loom, clock, targets);
                targets.end(loom);
            }
        } finally {
            tell(count, System.nanoTime() - startNs, whole);
        }
        return whole ? outcome() : ExitCode.INTERRUPTED;
    }

    /** Looks for what stands against the import, before the store is changed or created. Returns the number of sources. */
    private int plan(ArchiveMerge merge) {
        List<Source> existing = List.of();
        try (Store store = LoomReader.attach(directory);
                Snapshot snapshot = store.snapshot()) {
            existing = snapshot.sources();
            boolean empty = existing.stream()
                    .map(source -> snapshot.statistics(source.id()))
                    .allMatch(statistics -> statistics.records() == 0 && statistics.lost() == 0);
            // an import that failed before its first record leaves one of the store's own
            long lastNs = snapshot.lastTimeNs(); // the least number of a store without a readable page
            requireLater(empty && lastNs > Long.MIN_VALUE ? lastNs - 1 : lastNs, merge);
        } catch (StoreNotFoundException e) {
            // opening will create it
        }
        return targets(existing).count();
    }

    /** The sources to import into, of which the store has some. */
    private ArchivedSources targets(List<Source> existing) {
        ArchivedSources targets = new ArchivedSources(existing, console::say);
        for (int i = 0; i < archives.size(); i++) {
            targets.add(archives.get(i).schema(), prefixes.get(i));
        }
        int sources = existing.size() + targets.missing();
        if (sources > SOURCES_MAX) {
            throw CommandFailure.usage("too many sources for one store: its own=" + existing.size()
                    + ", of the archives=" + targets.missing() + ", max=" + SOURCES_MAX);
        }
        return targets;
    }

    private long beginNs() {
        long firstNs = archives.stream()
                .mapToLong(archive -> archive.schema().fromNs())
                .min()
                .orElse(Long.MIN_VALUE);
        return Math.max(1, Math.min(firstNs, console.nowNs()));
    }

    /** The first time that the import stores anything of, before it has read on; or a default if it stores nothing. */
    private long firstTimeNs(ArchiveMerge merge, long defaultNs) {
        long ofLossesNs = archives.stream()
                .filter(ArchiveImport::hasOnlyLosses)
                .mapToLong(ArchiveImport::lastTimeNs)
                .min()
                .orElse(Long.MAX_VALUE);
        long firstNs = Math.min(merge.firstTimeNs(Long.MAX_VALUE), ofLossesNs);
        return firstNs == Long.MAX_VALUE ? defaultNs : firstNs;
    }

    private static boolean hasOnlyLosses(ArchiveReader archive) {
        ArchiveEnd end = archive.end();
        return archive.firstTimeNs() < 0 && end != null && !end.lost().isEmpty();
    }

    /** The time of an archive's last record; without any, the last time of its range, which may begin behind what its store had. */
    private static long lastTimeNs(ArchiveReader archive) {
        if (archive.firstTimeNs() >= 0) {
            return archive.timeNs();
        }
        ArchiveSchema schema = archive.schema();
        return Math.max(schema.fromNs(), Math.max(schema.toNs(), 2) - 1);
    }

    private DirectStore open(ArchivedClock clock) {
        try {
            LoomConfig.Builder config = LoomConfig.at(directory)
                    .clock(clock)
                    .sourcesMax(SOURCES_MAX); // the first source of each name is open until the end
            return new DirectStore(config, console, true);
        } catch (StoreLockedException e) {
            throw new CommandFailure(
                    ExitCode.STORE,
                    "archives need the store to themselves, a sidecar can't import them: " + e.getMessage(),
                    e);
        }
    }

    private void requireDifferent() {
        for (int i = 0; i < archives.size(); i++) {
            for (int j = 0; j < i; j++) {
                boolean same = archives.get(i).archiveId() == archives.get(j).archiveId();
                if (same || overlap(archives.get(i).schema(), archives.get(j).schema())) {
                    throw CommandFailure.usage("archives have records in common, which would be imported twice: files="
                            + files.get(j) + ", " + files.get(i));
                }
            }
        }
    }

    /** Whether two archives of one store have the same source in ranges that overlap. */
    private static boolean overlap(ArchiveSchema one, ArchiveSchema other) {
        return one.storeId() == other.storeId()
                && one.fromNs() < other.toNs()
                && other.fromNs() < one.toNs()
                && !Collections.disjoint(exported(one), exported(other));
    }

    private static Set<Integer> exported(ArchiveSchema schema) {
        return schema.sources().stream()
                .map(Source::id)
                .filter(id -> !schema.carried().contains(id))
                .collect(Collectors.toSet());
    }

    private void requireLater(long lastNs, ArchiveMerge merge) {
        long firstNs = firstTimeNs(merge, Long.MAX_VALUE);
        if (lastNs >= firstNs) {
            throw CommandFailure.usage(
                    "the store ends later than the archives begin, perhaps as they were imported before, or as it was"
                            + " created later:"
                            + " last=" + times.text(lastNs) + ", first=" + times.text(firstNs)
                            + "; arrival times never decrease in a store: import into a new one, all archives at once");
        }
    }

    private void copy(ArchiveMerge merge, Loom loom, ArchivedClock clock, ArchivedSources targets, Progress progress)
            throws IOException {
        WaitingWriter writer = new WaitingWriter(loom, console);
        List<KeptRecords> kept = new ArrayList<>();
        archives.forEach(archive -> kept.add(new KeptRecords(writer)));
        for (ArchiveReader record = merge.next(); record != null; record = merge.next()) {
            clock.set(record.timeNs());
            int sourceId = targets.id(loom, merge.archive(), record.sourceId());
            if (!copy(record, sourceId, writer, kept.get(merge.archive()))) {
                return;
            }
            progress.update(records);
        }
    }

    /** Stores a record; false if interrupted before. */
    private boolean copy(ArchiveReader record, int sourceId, WaitingWriter writer, KeptRecords kept) {
        if (record.length() > writer.loom().payloadLengthMax()) {
            throw new CommandFailure(
                    ExitCode.LIMIT,
                    "record is too long for the store's ring: length=" + record.length() + ", max="
                            + writer.loom().payloadLengthMax());
        } else if (record.carried()) {
            kept.keep(record, sourceId);
            return true;
        }
        payload.wrap(record.array());
        long address = record.refers()
                ? kept.push(record, sourceId, payload)
                : writer.push(sourceId, payload, record.offset(), record.length());
        if (address == PushStatus.BACK_PRESSURED) {
            return false;
        } else if (address < 0) {
            throw new IllegalStateException("store refused a record: status=" + address);
        }
        if (record.kept()) {
            kept.keep(record, sourceId, address);
        }
        records++;
        bytes += record.length();
        return true;
    }

    /** Counts what the archives' stores had lost, from the first record of each to its last. */
    private void noteLosses(Loom loom, ArchivedClock clock, ArchivedSources targets) {
        for (int i = 0; i < archives.size(); i++) {
            int archive = i;
            ArchiveReader reader = archives.get(i);
            long lastNs = lastTimeNs(reader);
            long firstNs = reader.firstTimeNs() < 0 ? lastNs : reader.firstTimeNs();
            Map<Integer, Long> lost = end(reader).lost();
            if (!lost.isEmpty()) {
                // so that an archive without records is not taken a second time
                clock.set(Math.max(clock.getAsLong(), lastNs));
            }
            lost.forEach((sourceId, count) -> loom.noteLoss(
                    targets.lossyId(loom, archive, sourceId), LossReason.ELSEWHERE, count, firstNs, lastNs));
        }
    }

    private static ArchiveEnd end(ArchiveReader reader) {
        return Objects.requireNonNull(reader.end());
    }

    private void tell(int sources, long elapsedNs, boolean whole) {
        console.say(String.format(
                Locale.ROOT,
                "imported %d records, %d bytes, in %.3f s into %d source%s; arrival times are the archives'%s",
                records,
                bytes,
                elapsedNs / 1e9,
                sources,
                sources == 1 ? "" : "s",
                whole ? "" : "; incomplete"));
    }

    private int outcome() {
        long lost = 0;
        long damaged = 0;
        for (ArchiveReader reader : archives) {
            ArchiveEnd end = end(reader);
            lost += end.lost().values().stream().mapToLong(Long::longValue).sum();
            damaged += end.damagedPages();
        }
        if (lost > 0) {
            console.warn("records were lost before the export: lost=" + lost);
        }
        if (damaged > 0) {
            console.warn("the exported stores had damage: pages left out=" + damaged);
        }
        return ExitCode.OK;
    }
}
