package dev.loom.store;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.index.ChunkIndexReader;
import dev.loom.index.IndexSummary;
import dev.loom.io.Storage;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.read.BinListReader;
import dev.loom.record.AscendingChunks;
import dev.loom.record.Chunks;
import dev.loom.record.DescendingChunks;
import dev.loom.record.PageRecords;
import dev.loom.record.SnapshotView;
import dev.loom.value.BinScale;
import dev.loom.value.RecordBatch;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Asks a store for everything that it can tell. For one thread. */
final class StoreExercise {
    private final Path store;
    private final StringBuilder answers = new StringBuilder();
    private final Map<Integer, BinScale> scales = new HashMap<>();

    StoreExercise(Path store) {
        this.store = store;
    }

    /** Asks through the API, walks the logs as queries do, and verifies. Returns what there was to tell. */
    String read() {
        try (LoomReader reader = LoomReader.attach(store)) {
            answers.append(reader.info());
            ask(reader.snapshot(), reader.sources());
            reader.indexes().forEach(index -> answers.append(index.name()));
        }
        walk();
        StoreVerifier.Report report = StoreVerifier.verify(store, (file, offset, message) -> {});
        answers.append(report.problems());
        return answers.toString();
    }

    private void ask(Snapshot asked, List<Source> sources) {
        try (Snapshot snapshot = asked) {
            answers.append(snapshot.lastTimeNs()).append(snapshot.beginAddress());
            for (int id : new int[] {0, 1, 2, 3, 4, 5, 65_535}) {
                Source.Statistics statistics = snapshot.statistics(id);
                answers.append(statistics);
            }
            for (Source source : sources) {
                answers.append(source.name())
                        .append(snapshot.indexes(source.id()).size());
            }
        }
    }

    private void walk() {
        try (AttachedStore attached = AttachedStore.attach(store, Storage.DISK);
                StoreSnapshot snapshot = (StoreSnapshot) attached.snapshot()) {
            SnapshotView view = snapshot.view();
            for (int id = 0; id <= HostileWriter.SOURCES; id++) {
                List<Index> indexes = snapshot.indexes(id);
                try (Chunks chunks = new DescendingChunks(view, id, Long.MAX_VALUE)) {
                    walk(view, chunks, id, indexes, true);
                }
                try (Chunks chunks = new AscendingChunks(view, id, Long.MIN_VALUE, Long.MAX_VALUE, 0)) {
                    walk(view, chunks, id, indexes, false);
                }
                long middle = 1_000_000_000_000_000_000L + 2_000_000;
                try (Chunks chunks = new AscendingChunks(view, id, middle, middle + 1_000_000, 0)) {
                    walk(view, chunks, id, List.of(), false);
                }
                try (Chunks chunks = new DescendingChunks(view, id, middle)) {
                    walk(view, chunks, id, List.of(), true);
                }
            }
        }
    }

    private void walk(SnapshotView view, Chunks chunks, int sourceId, List<Index> indexes, boolean descending) {
        long bound = descending ? view.recordTail() : view.recordBegin();
        long records = 0;
        try (PageRecords page = new PageRecords(view.records(), view.recordTail(), sourceId);
                ChunkIndexReader bins = new ChunkIndexReader(view.chunks(), view.chunkTail())) {
            while (chunks.next()) {
                if (chunks.end() <= chunks.start()
                        || (descending ? chunks.end() > bound : chunks.start() < bound)
                        || chunks.start() < view.recordBegin()
                        || chunks.end() > view.recordTail()) {
                    throw new AssertionError("parts are out of order: start=" + chunks.start() + ", end=" + chunks.end()
                            + ", bound=" + bound);
                }
                bound = descending ? chunks.start() : chunks.end();
                records += chunks.listed() && descending ? chain(chunks, page) : pages(chunks, page);
                for (Index index : indexes) {
                    summary(chunks, index, bins);
                }
            }
        }
        answers.append(records).append(' ');
    }

    private static long pages(Chunks chunks, PageRecords page) {
        long records = 0;
        for (long at = chunks.start(); at < chunks.end(); at += PageDescriptor.PAGE_LENGTH) {
            if (page.read(at) == PageState.PRESENT) {
                while (page.next()) {
                    records += touch(page);
                }
            }
        }
        return records;
    }

    private static long chain(Chunks chunks, PageRecords page) {
        long records = 0;
        long at = chunks.lastRecord();
        RecordBatch batch = new RecordBatch();
        while (at >= chunks.start()
                && page.read(PageDescriptor.pageAddress(at)) == PageState.PRESENT
                && page.seek(at)) {
            records += touch(page);
            long before = page.previous(at, batch);
            at = before == at ? at - (page.back() > 0 ? page.back() : at + 1) : before;
        }
        return records;
    }

    private static int touch(PageRecords page) {
        if (page.length() > 0) {
            page.buffer().getByte(page.offset());
            page.buffer().getByte(page.offset() + page.length() - 1);
        }
        return 1;
    }

    private void summary(Chunks chunks, Index index, ChunkIndexReader bins) {
        IndexSummary summary = new IndexSummary();
        if (index.kind() == Index.Kind.EVENT_TIME && chunks.listed()) {
            answers.append(chunks.firstTimeNs() <= chunks.lastTimeNs()).append(chunks.records());
        }
        if (chunks.summary(index.id(), index.function().type(), summary)
                && summary.binsAddress() != IndexSummary.NO_BINS) {
            BinScale scale = scales.computeIfAbsent(
                    index.id(), id -> BinScale.of(index.bins(), index.function().type()));
            BinListReader list = new BinListReader(scale, index.function().type());
            if (bins.read(summary.binsAddress(), chunks.start(), index.id())) {
                list.wrap(bins.buffer(), bins.offset(), bins.length());
                long count = 0;
                while (list.next()) {
                    count += list.count();
                }
                answers.append(count);
            }
        }
    }

    /** Opens the store for writing, and goes on with it. */
    void write(boolean rebuild) {
        try (Loom loom = StoreAccess.open(store, new FailingStorage(0), builder -> builder.rebuildIndexes(rebuild))) {
            int source = loom.defineSource("new", Formats.bytes());
            for (int i = 0; i < 100; i++) {
                if (loom.push(source, new byte[1000]) < 0) {
                    throw new AssertionError("a push was refused");
                }
            }
            loom.force();
        }
    }
}
