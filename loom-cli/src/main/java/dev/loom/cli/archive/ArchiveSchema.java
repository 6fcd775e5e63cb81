package dev.loom.cli.archive;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What an archive says before its first record.
 *
 * @param host the name of the machine that wrote it
 * @param storeId of the store that it is from
 * @param fromNs the begin of its range of arrival times, and {@code toNs} its end, excluded
 * @param sources by id, with the ids of that store
 * @param carried the ids of sources of which there are only records that those of others refer to
 * @param indexes the open indexes of these sources; their ids and first addresses mean nothing
 */
public record ArchiveSchema(
        String host,
        long storeId,
        long fromNs,
        long toNs,
        List<Source> sources,
        Set<Integer> carried,
        List<Index> indexes) {
    private static final int CLOSED = 1;
    private static final int CARRIED = 1 << 1;
    private static final int SOURCE_ID_MAX = 65_535;
    /** The bytes of all sources and indexes, which are kept in memory. */
    public static final long ENTRIES_LENGTH_MAX = 32L << 20;

    private static final int INDEXES_MAX = 65_535;
    private static final int ATTRIBUTES_MAX = 1 << 16;

    public ArchiveSchema {
        sources = List.copyOf(sources);
        carried = Set.copyOf(carried);
        indexes = List.copyOf(indexes);
    }

    /** The least version that has all of it, so that programs which know no later one read the archive, too. */
    int major() {
        boolean keeps = indexes.stream()
                .anyMatch(index -> index.key() != null || index.bins().keepsValues());
        return keeps ? ArchiveDescriptor.MAJOR_KEEPING : ArchiveDescriptor.MAJOR;
    }

    /**
     * Writes it as blocks of entries: a type, a length, and as many bytes, which readers of an older version may skip.
     *
     * @return the bytes of all entries; no reader takes more than {@link #ENTRIES_LENGTH_MAX}
     */
    long write(ArchiveBlocks blocks) {
        BlockBuffer entry = new BlockBuffer();
        entry.putText(host);
        entry.putLong(storeId);
        entry.putLong(fromNs);
        entry.putLong(toNs);
        long length = put(blocks, ArchiveDescriptor.HOST, entry);
        for (Source source : sources) {
            entry.putVarint(source.id());
            entry.putText(source.name());
            entry.putText(source.format().text());
            entry.putByte((source.closed() ? CLOSED : 0) | (carried.contains(source.id()) ? CARRIED : 0));
            entry.putVarint(source.attributes().size());
            new TreeMap<>(source.attributes()).forEach((key, value) -> {
                entry.putText(key);
                entry.putText(value);
            });
            length += put(blocks, ArchiveDescriptor.SOURCE, entry);
        }
        for (Index index : indexes) {
            entry.putVarint(index.sourceId());
            entry.putText(index.name());
            entry.putText(index.kindText());
            entry.putText(index.function().text());
            entry.putText(index.bins().text());
            length += put(blocks, ArchiveDescriptor.INDEX, entry);
        }
        blocks.end(ArchiveDescriptor.SCHEMA);
        return length;
    }

    private static long put(ArchiveBlocks blocks, int type, BlockBuffer entry) {
        long length = entry.length();
        blocks.buffer().putByte(type);
        blocks.buffer().putVarint(entry.length());
        blocks.buffer().putBytes(new UnsafeBuffer(entry.array()), 0, entry.length());
        entry.clear();
        blocks.endIfFull(ArchiveDescriptor.SCHEMA);
        return length;
    }

    /** Collects the entries of schema blocks. */
    static final class Reader {
        private final Map<Integer, Source> sources = new TreeMap<>();
        private final Set<Integer> carried = new HashSet<>();
        private final List<Index> indexes = new ArrayList<>();
        private String host = "";
        private long storeId;
        private long fromNs;
        private long toNs;
        private long entriesLength;

        void read(BlockBytes block) throws BlockBytes.Malformed {
            BlockBytes entry = new BlockBytes();
            while (block.hasMore()) {
                int type = block.getByte();
                int length = block.getNumber("length of an entry", ArchiveDescriptor.PLAIN_LENGTH_MAX);
                entriesLength += length;
                if (entriesLength > ENTRIES_LENGTH_MAX) {
                    throw new BlockBytes.Malformed("schema is too long: max bytes=" + ENTRIES_LENGTH_MAX);
                }
                entry.wrap(block.array(), block.skip(length), length);
                try {
                    readEntry(type, entry);
                } catch (IllegalArgumentException e) {
                    throw new BlockBytes.Malformed(String.valueOf(e.getMessage()));
                }
            }
        }

        private void readEntry(int type, BlockBytes entry) throws BlockBytes.Malformed {
            switch (type) {
                case ArchiveDescriptor.HOST -> {
                    host = entry.getText();
                    storeId = entry.getLong();
                    fromNs = entry.getLong();
                    toNs = entry.getLong();
                }
                case ArchiveDescriptor.SOURCE -> readSource(entry);
                case ArchiveDescriptor.INDEX -> readIndex(entry);
                default -> {
                    // of a later version
                }
            }
        }

        private void readSource(BlockBytes entry) throws BlockBytes.Malformed {
            int id = entry.getNumber("id of a source", SOURCE_ID_MAX);
            String name = entry.getText();
            PayloadFormat format = format(name, entry.getText());
            int flags = entry.getByte();
            boolean closed = (flags & CLOSED) != 0;
            if ((flags & CARRIED) != 0) {
                carried.add(id);
            }
            int count = entry.getNumber("number of attributes", ATTRIBUTES_MAX);
            Map<String, String> attributes = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                attributes.put(entry.getText(), entry.getText());
            }
            if (id == 0 || sources.put(id, new Source(id, name, format, closed, attributes)) != null) {
                throw new BlockBytes.Malformed("source is defined twice, or has no id: id=" + id + ", name=" + name);
            }
        }

        /** A damaged archive fails its checksums before, so this one is of a program whose formats are not here. */
        private static PayloadFormat format(String source, String text) {
            try {
                return Formats.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(
                        ExitCode.STORE,
                        "source has a format that is unknown here: source=" + source + ", reason=" + e.getMessage(),
                        e);
            }
        }

        private void readIndex(BlockBytes entry) throws BlockBytes.Malformed {
            int sourceId = entry.getNumber("id of a source", SOURCE_ID_MAX);
            Source source = sources.get(sourceId);
            if (source == null) {
                throw new BlockBytes.Malformed("index of an unknown source: id=" + sourceId);
            }
            if (indexes.size() == INDEXES_MAX) {
                throw new BlockBytes.Malformed("schema has too many indexes: max=" + INDEXES_MAX);
            }
            String name = entry.getText();
            String kind = entry.getText();
            IndexFunction function = IndexFunction.parse(entry.getText(), source.format());
            Bins bins = Bins.parse(entry.getText());
            indexes.add(new Index(
                    indexes.size() + 1,
                    sourceId,
                    name,
                    Index.Kind.parse(kind),
                    function,
                    bins,
                    0,
                    false,
                    IndexKey.ofKind(source.format(), kind)));
        }

        ArchiveSchema schema() {
            return new ArchiveSchema(host, storeId, fromNs, toNs, List.copyOf(sources.values()), carried, indexes);
        }
    }
}
