package dev.loom.cli.export;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.cli.archive.ArchiveSchema;
import dev.loom.cli.archive.ArchiveWriter;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.console.Progress;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.TimeRange;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.SourceRecords;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.agrona.collections.Long2LongHashMap;

/**
 * Writes the records of some sources as an archive, in one pass over the log. Records that others refer to are written before
 * the first that does, even from outside of the range; an address means nothing elsewhere. Memory: ten pages, six more if segments are compressed, the longest
 * payload, and the addresses of as many records as an archive keeps at once. For one thread.
 */
final class ArchiveExport {
    private static final long NO_SLOT = -1;

    private static final long ADDRESS_BITS = -8;

    private final Snapshot snapshot;
    private final TimeRange range;
    private final Map<Integer, Source> chosen = new HashMap<>();
    /** The ids of sources by the format of their records, of those formats that others refer to. */
    private final Map<String, Integer> referred = new HashMap<>();

    private final List<Source> written = new ArrayList<>();
    private final Long2LongHashMap slots = new Long2LongHashMap(NO_SLOT);
    private long segmentBytes;
    private long segment;
    private Deletion deletion = Deletion.NONE;
    private long lost;
    private long damaged;

    /** Prepares to export the sources. */
    ArchiveExport(Snapshot snapshot, List<Source> sources, TimeRange range) {
        this.snapshot = snapshot;
        this.range = range;
        sources.forEach(source -> chosen.put(source.id(), source));
        Set<String> formats = new HashSet<>();
        for (Source source : sources) {
            String format = source.format().referredFormat();
            if (format != null) {
                formats.add(format);
            }
        }
        for (Source source : snapshot.sources()) {
            if (formats.contains(source.format().text())) {
                referred.put(source.format().text(), source.id());
            }
        }
        for (Source source : snapshot.sources()) {
            if (chosen.containsKey(source.id()) || referred.containsValue(source.id())) {
                requireKnown(source);
                written.add(source);
            }
        }
    }

    /** An archive of a source that is read as bytes would make it one of bytes for good. */
    private static void requireKnown(Source source) {
        if (source.format().failure() != null) {
            throw CommandFailure.usage("source has a format that is unknown here, so no archive can have it: source="
                    + source.name() + ", reason=" + source.format().failure()
                    + "; name other sources, or export it as csv or jsonl");
        }
    }

    /**
     * Writes the archive, without its end if it is interrupted or records expire.
     *
     * @return the writer, which knows how much was written
     */
    ArchiveWriter write(StoreInfo store, DataOutput out, Interruption interruption, Progress progress) {
        segmentBytes = store.segmentBytes();
        ArchiveWriter writer =
                new ArchiveWriter(out, UUID.randomUUID().getMostSignificantBits(), schema(store.storeId()));
        if (writer.schemaBytes() > ArchiveSchema.ENTRIES_LENGTH_MAX) {
            throw new CommandFailure(
                    ExitCode.LIMIT,
                    "names, attributes and indexes of the sources are too long for one archive: bytes="
                            + writer.schemaBytes() + ", max=" + ArchiveSchema.ENTRIES_LENGTH_MAX
                            + "; export some of them, by their names");
        }
        try (SnapshotReader reader = SnapshotReader.of(snapshot);
                SourceRecords records =
                        reader.forward(reader.everything(range.fromNs()), new Guide(interruption, progress, writer))) {
            progress.of(() -> share(records));
            while (records.next() && (records.timeNs() < range.toNs() || range.toNs() == Long.MAX_VALUE)) {
                Source source = chosen.get(records.sourceId());
                if (source != null && records.timeNs() >= range.fromNs()) {
                    write(source, records, writer, reader.lookup());
                }
            }
            boolean deleted = chosen.keySet().stream().anyMatch(id -> reader.hasDeleted(id, range.fromNs()));
            deletion = records.expired() ? Deletion.MEANWHILE : deleted ? Deletion.BEFORE : Deletion.NONE;
            damaged = records.damaged() + reader.lookupPagesDamaged();
            if (deletion != Deletion.MEANWHILE && !interruption.requested()) {
                Map<Integer, Long> lostOfSources = lost(reader);
                lost = lostOfSources.values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                writer.end(damaged, lostOfSources);
            }
        }
        return writer;
    }

    /** Shows the progress, and ends the walk when interrupted. */
    private record Guide(Interruption interruption, Progress progress, ArchiveWriter writer)
            implements SourceRecords.ChunkGuide {
        @Override
        public Step decide(ChunkCursor chunk) {
            return Step.READ;
        }

        @Override
        public boolean mayGoOn(long bytesRead) {
            progress.updateNow(writer.records());
            return !interruption.requested();
        }
    }

    private double share(SourceRecords records) {
        long begin = snapshot.beginAddress();
        return (double) (records.address() - begin) / Math.max(1, snapshot.tailAddress() - begin);
    }

    private ArchiveSchema schema(long storeId) {
        List<Index> indexes = new ArrayList<>();
        for (Source source : written) {
            snapshot.indexes(source.id()).stream()
                    .filter(index -> !index.closed())
                    .forEach(indexes::add);
        }
        Set<Integer> carried = new HashSet<>(referred.values());
        carried.removeAll(chosen.keySet());
        long lastNs = snapshot.lastTimeNs();
        long toNs = Math.min(range.toNs(), lastNs == Long.MAX_VALUE ? lastNs : lastNs + 1);
        List<Source> sources = written.stream().map(this::asOfRange).toList();
        return new ArchiveSchema(host(), storeId, range.fromNs(), toNs, sources, carried, indexes);
    }

    /** A source of which archives of later ranges have records is still open in this one. */
    private Source asOfRange(Source source) {
        long lastNs = referred.containsValue(source.id())
                ? snapshot.lastTimeNs()
                : snapshot.statistics(source.id()).lastTimeNs();
        boolean closed = source.closed() && range.toNs() > lastNs;
        return new Source(source.id(), source.name(), source.format(), closed, source.attributes());
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return InetAddress.getLoopbackAddress().getHostName();
        }
    }

    private void write(Source source, SourceRecords record, ArchiveWriter writer, RecordLookup lookup) {
        long recordsSegment = record.address() / segmentBytes;
        if (recordsSegment != segment) {
            // a reference to an earlier segment leads nowhere, and must not begin to lead somewhere
            segment = recordsSegment;
            slots.clear();
        }
        String format = source.format().referredFormat();
        int reference = source.format().referenceOffset();
        if (format != null && record.length() >= reference + Long.BYTES) {
            long address = record.buffer().getLong(record.offset() + reference, ByteOrder.LITTLE_ENDIAN) & ADDRESS_BITS;
            int slot = (int) slot(address, format, record, writer, lookup);
            writer.refer(
                    slot, reference, source.id(), record.timeNs(), record.buffer(), record.offset(), record.length());
        } else if (referred.containsKey(source.format().text())) {
            forgetIfFull(writer, record.length());
            slots.put(
                    record.address(),
                    writer.keep(
                            false, source.id(), record.timeNs(), record.buffer(), record.offset(), record.length()));
        } else {
            writer.write(source.id(), record.timeNs(), record.buffer(), record.offset(), record.length());
        }
    }

    /** The slot of the record at an address, which is carried if it has none; {@link #NO_SLOT} if it can't be read. */
    private long slot(long address, String format, SourceRecords record, ArchiveWriter writer, RecordLookup lookup) {
        lookup.from(record.address());
        long slot = slots.get(address);
        if (slot == NO_SLOT && lookup.find(address, format)) {
            forgetIfFull(writer, lookup.length());
            int sourceId = referred.getOrDefault(format, 0);
            slot = writer.keep(true, sourceId, record.timeNs(), lookup.buffer(), lookup.offset(), lookup.length());
            slots.put(address, slot);
        }
        return slot;
    }

    private void forgetIfFull(ArchiveWriter writer, int length) {
        if (writer.forgets(length)) {
            slots.clear();
        }
    }

    private Map<Integer, Long> lost(SnapshotReader reader) {
        return chosen.keySet().stream()
                .map(id -> Map.entry(id, lost(reader, id)))
                .filter(lost -> lost.getValue() > 0)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** A loss belongs to the range that holds its last time, so that only one of the archives of adjacent ranges has it. */
    private long lost(SnapshotReader reader, int sourceId) {
        long afterBegin = reader.lost(sourceId, range.fromNs(), Long.MAX_VALUE);
        return afterBegin - reader.lost(sourceId, range.toNs(), Long.MAX_VALUE);
    }

    /** Which records of the range retention deleted. */
    Deletion deletion() {
        return deletion;
    }

    /** Records that were lost before they were stored, by losses that end in the range. */
    long lost() {
        return lost;
    }

    /** Damaged pages, and records of several pages, left out. */
    long damaged() {
        return damaged;
    }
}
