package dev.loom;

import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Pressure;
import dev.loom.api.ProgressHandler;
import dev.loom.api.TextIndexParameters;
import dev.loom.filter.FilterCache;
import dev.loom.io.Storage;
import dev.loom.log.PageDescriptor;
import dev.loom.store.Limits;
import dev.loom.store.Repair;
import dev.loom.store.Settings;
import dev.loom.store.TextIndexSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a writer's store. Immutable; made by {@link #at(Path)} and {@link Builder#build()}. An existing store
 * keeps its ring sizes unless they are set here, and its segment size always.
 */
public final class LoomConfig {
    /** The smallest ring: eight pages, 512 KiB. */
    public static final int RING_BYTES_MIN = 8 * PageDescriptor.PAGE_LENGTH;

    /** The largest ring: 1 GiB. */
    public static final int RING_BYTES_MAX = 1 << 30;

    /** The largest segment files, bytes: 1 TiB. */
    public static final long SEGMENT_BYTES_MAX = 1L << 40;

    /** No limit to what a store's files may take. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /** The memory for what searches have read of the text index unless another is set, bytes: 32 MiB. */
    public static final long TEXT_INDEX_CACHE_BYTES = FilterCache.BYTES_DEFAULT;

    private static final double ROLLUP_SHARE = 0.1;

    private final Settings settings;

    private LoomConfig(Settings settings) {
        this.settings = settings;
    }

    public static Builder at(Path directory) {
        return new Builder(directory);
    }

    /** The store's directory. */
    public Path directory() {
        return settings.directory();
    }

    /** What finds the store's {@linkplain dev.loom.format.PayloadFormatProvider formats}; null for the system's class loader. */
    public @Nullable ClassLoader classLoader() {
        return settings.classLoader();
    }

    /** The memory for what searches have read of the text index, bytes. */
    public long textIndexCacheBytes() {
        return settings.textIndex().cacheBytes();
    }

    static long checkedTextIndexCacheBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("bad memory: text index cache bytes=" + bytes + ", min=0");
        }
        return bytes;
    }

    Settings settings() {
        return settings;
    }

    @Override
    public String toString() {
        return settings.toString().replace("Settings[", "LoomConfig[");
    }

    /** Collects settings. Not thread-safe. */
    public static final class Builder {
        private final Path directory;
        private @Nullable Repair repair;
        private ProgressHandler progress = ProgressHandler.NONE;
        private @Nullable Path staging;
        private @Nullable Integer recordRingBytes;
        private @Nullable Integer timeRingBytes;
        private @Nullable Integer chunkRingBytes;
        private @Nullable Long segmentBytes;
        private @Nullable Long maxBytes;
        private @Nullable Duration maxAge;
        private @Nullable Long minFreeBytes;
        private Eviction eviction = Eviction.AUTO;
        private Pressure pressure = Pressure.WAIT;
        private @Nullable LongSupplier clock;
        private Duration durabilityInterval = Duration.ofSeconds(1);
        private long durabilityBytes = 1L << 30;
        private int sourcesMax = 4096;
        private boolean adoptCopy;
        private boolean rebuildIndexes;
        private long backgroundRebuildBytes = 256L << 20;
        private long indexCheckBytes = 1L << 30;
        private @Nullable Duration compressAfter;
        private double compressionShare = 0.1;
        private double textIndexShare = TextIndexSettings.DEFAULT.share();
        private long textIndexMemory = TextIndexSettings.DEFAULT.memoryBytes();
        private boolean textIndexLists = TextIndexSettings.DEFAULT.lists();
        private TextIndexParameters textIndexParameters = TextIndexSettings.DEFAULT.parameters();
        private double rollupShare = ROLLUP_SHARE;
        private long textIndexBytes = TextIndexSettings.DEFAULT.bytesMax();
        private long textIndexCacheBytes = TextIndexSettings.DEFAULT.cacheBytes();
        private final List<IndexFunction> indexFunctions = new ArrayList<>();
        private Storage storage = Storage.DISK;

        Builder(Path directory) {
            this.directory = Objects.requireNonNull(directory);
        }

        /**
         * Parent of the folder for rings and live state; default {@code /dev/shm}, or beside the store where that does
         * not exist, can't be written, is not on a tmpfs, or has no room for the rings, smaller ones included unless their sizes
         * were set. {@link dev.loom.api.StoreInfo.Session#stagingFallback()} says why. It should be on tmpfs: a disk that stalls can stop the writer. Network file systems, FUSE and
         * copy-on-write file systems (btrfs, ZFS) are refused. If there is no room for rings whose sizes were not set,
         * this session uses smaller ones: down to 8 MiB for the record log, and 1 MiB for the chunk index.
         */
        public Builder stagingDirectory(@Nullable Path parent) {
            staging = parent;
            return this;
        }

        /**
         * Ring of the record log, bytes; a power of two, {@link #RING_BYTES_MIN} to {@link #RING_BYTES_MAX}; default
         * 128 MiB.
         */
        public Builder recordRingBytes(int bytes) {
            recordRingBytes = checkRing("record", bytes);
            return this;
        }

        /**
         * Ring of the timestamp index, bytes; limits as for {@link #recordRingBytes}; default 4 MiB. One index may be
         * open per 256 bytes. With the smallest ring a store can define about 8,000 sources in its life, with twice that
         * ring twice as many, and with the default ring as many as there are ids. Beyond that, definitions fail, and a store that has
         * more cannot be opened.
         */
        public Builder timeRingBytes(int bytes) {
            timeRingBytes = checkRing("time", bytes);
            return this;
        }

        /**
         * Ring of the chunk index, bytes; limits as for {@link #recordRingBytes}; default 8 MiB. If the bins of one
         * chunk take more than half of it, they may be left out, and queries read the chunk instead.
         */
        public Builder chunkRingBytes(int bytes) {
            chunkRingBytes = checkRing("chunk", bytes);
            return this;
        }

        private static int checkRing(String name, int bytes) {
            if (bytes < RING_BYTES_MIN || bytes > RING_BYTES_MAX || Integer.bitCount(bytes) != 1) {
                throw new IllegalArgumentException("bad " + name + " ring: bytes=" + bytes
                        + ", expected=a power of two from " + RING_BYTES_MIN + " to " + RING_BYTES_MAX);
            }
            return bytes;
        }

        /**
         * The most that the store's files may take, bytes, without what repairs set aside and without staging: beyond it the oldest segments are
         * deleted, whole. At least 8 MiB and four segments; {@link #UNLIMITED} for no limit. Default for a new store: 10 GiB, or a tenth of its file system if that
         * is less.
         */
        public Builder maxBytes(long bytes) {
            if (bytes < Limits.BYTES_MIN) {
                throw new IllegalArgumentException("store too small: max bytes=" + bytes + ", min=" + Limits.BYTES_MIN);
            }
            maxBytes = bytes;
            return this;
        }

        /**
         * Deletes a segment once all its records are older than this, at least 1 s; {@code Duration.ofNanos(Long.MAX_VALUE)}, the
         * default for a new store, for no limit.
         */
        public Builder maxAge(Duration age) {
            if (age.compareTo(Duration.ofSeconds(1)) < 0 || age.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
                throw new IllegalArgumentException("bad age: max=" + age + ", expected=1 s to 292 years");
            }
            maxAge = age;
            return this;
        }

        /**
         * The free space of the store's file system below which the oldest segments are deleted, bytes, 0 or more; 0 for
         * none. What else fills the disk counts too. Default for a new store: 1 GiB, or a twentieth of its file system if
         * that is less.
         */
        public Builder minFreeBytes(long bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("bad free space: min bytes=" + bytes + ", expected=0 or more");
            }
            minFreeBytes = bytes;
            return this;
        }

        /**
         * Size of a new store's segment files, bytes; a multiple of 64 KiB; default about a sixteenth of {@link #maxBytes},
         * at most 1 GiB. At most {@link #SEGMENT_BYTES_MAX}. An existing store ignores it.
         */
        public Builder segmentBytes(long bytes) {
            if (bytes <= 0 || bytes > SEGMENT_BYTES_MAX || bytes % PageDescriptor.PAGE_LENGTH != 0) {
                throw new IllegalArgumentException("bad segment size: bytes=" + bytes + ", expected=a multiple of "
                        + PageDescriptor.PAGE_LENGTH + " up to " + SEGMENT_BYTES_MAX);
            }
            segmentBytes = bytes;
            return this;
        }

        /** Default {@link Eviction#AUTO}. */
        public Builder eviction(Eviction mode) {
            eviction = Objects.requireNonNull(mode);
            return this;
        }

        /** Default {@link Pressure#WAIT}. */
        public Builder pressure(Pressure policy) {
            pressure = Objects.requireNonNull(policy);
            return this;
        }

        /**
         * Supplies arrival times, in epoch nanoseconds. Default: the monotonic clock, anchored to wall-clock time. Asked by the writer, whose
         * call ends with what it throws, and by threads of the store's own, to know which records are old: so it must be usable from
         * several threads, and can't ask the store. What it throws there is the store's {@linkplain dev.loom.api.StoreInfo failure}, until it answers again.
         */
        public Builder clock(@Nullable LongSupplier arrivalClock) {
            clock = arrivalClock;
            return this;
        }

        /** How long a record may wait before it survives a power cut, if the disk keeps up, 1 ms to 1 h; default 1 s. */
        public Builder durabilityInterval(Duration interval) {
            if (interval.compareTo(Duration.ofMillis(1)) < 0 || interval.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException(
                        "bad durability interval: interval=" + interval + ", expected=1 ms to 1 h");
            }
            durabilityInterval = interval;
            return this;
        }

        /** How many evicted bytes may wait before they are made durable, at least one page; default 1 GiB. */
        public Builder durabilityBytes(long bytes) {
            if (bytes < PageDescriptor.PAGE_LENGTH) {
                throw new IllegalArgumentException(
                        "bad durability bytes: bytes=" + bytes + ", min=" + PageDescriptor.PAGE_LENGTH);
            }
            durabilityBytes = bytes;
            return this;
        }

        /** How many sources may be open at once, 1 to 65,535; default 4,096. */
        public Builder sourcesMax(int sources) {
            if (sources < 1 || sources > 65_535) {
                throw new IllegalArgumentException("bad number of sources: max=" + sources + ", expected=1 to 65535");
            }
            sourcesMax = sources;
            return this;
        }

        /**
         * Whether to open a copy that was made while the original was being written, and so lacks its newest records;
         * default no.
         */
        public Builder adoptCopy(boolean adopt) {
            adoptCopy = adopt;
            return this;
        }

        /**
         * Whether to rebuild the indexes from the records; default no. Reads all records, at the disk's rate.
         * Afterwards every open index covers all records of its source, including those from before it was defined. A
         * closed index, or one whose function was not supplied by {@link #indexFunction}, covers none.
         */
        public Builder rebuildIndexes(boolean rebuild) {
            rebuildIndexes = rebuild;
            return this;
        }

        /**
         * The bytes of records without index entries beyond which opening does not wait until the entries are written,
         * 0 or more; default 256 MiB. A thread then writes them beside the writer, with as much memory as both index
         * rings and 5 MiB, and resumes after the next opening. Meanwhile queries read those records.
         */
        public Builder backgroundRebuildBytes(long bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("bad background rebuild size: bytes=" + bytes + ", min=0");
            }
            backgroundRebuildBytes = bytes;
            return this;
        }

        /**
         * Supplies a function of the program's own to every open index whose {@linkplain IndexFunction#text() function
         * has the same text}. Opening can then use it to write missing index entries, as after a crash. {@link
         * Loom#defineIndex} also supplies it, but only for later records.
         *
         * @throws IllegalArgumentException when the function has no reader
         */
        public Builder indexFunction(IndexFunction function) {
            if (!function.isReadable()) {
                throw new IllegalArgumentException("index function has no reader: function=" + function.text());
            }
            indexFunctions.add(function);
            return this;
        }

        /**
         * Compresses segments of records in the background once all their records are older than this, 0 or more; null, the default,
         * for never. A segment that can still grow is never compressed. Queries read compressed segments like others, but more
         * slowly. Needs {@code io.airlift:aircompressor}. The store's format then becomes 2.1 for good, which programs
         * that know only 1.x refuse. Segments above 16 GiB are left as they are.
         */
        public Builder compressAfter(@Nullable Duration age) {
            if (age != null && (age.isNegative() || age.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0)) {
                throw new IllegalArgumentException("bad age: compress after=" + age + ", expected=0 to 292 years");
            }
            compressAfter = age;
            return this;
        }

        /** The share of one processor that compression takes at most, above 0 to 1; default 0.1. */
        public Builder compressionShare(double share) {
            if (!(share > 0 && share <= 1)) {
                throw new IllegalArgumentException("bad share: compression=" + share + ", expected=above 0 to 1");
            }
            compressionShare = share;
            return this;
        }

        /**
         * The share of one processor that building the text index takes at most, 0 to 1; default 0.25. With 0 none is built.
         * Searches read the records that no unit of the index has yet. The source's attribute
         * {@link dev.loom.format.IndexedText#ATTRIBUTE} names the fields to index; without it, the format does.
         */
        public Builder textIndexShare(double share) {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("bad share: text index=" + share + ", expected=0 to 1");
            }
            textIndexShare = share;
            return this;
        }

        /**
         * The memory for units of the text index that are being built, bytes, at least 2 MiB; default 64 MiB, and never more than an
         * eighth of the heap, except for a single source. A source takes about 2 MiB with the default {@link #textIndexParameters}; sources
         * beyond that take turns.
         */
        public Builder textIndexMemory(long bytes) {
            if (bytes < 2 << 20) {
                throw new IllegalArgumentException("bad memory: text index bytes=" + bytes + ", min=" + (2 << 20));
            }
            textIndexMemory = bytes;
            return this;
        }

        /**
         * Whether units of the text index also have rows of rare words, counts of frequent ones, and prefixes; default yes. Without
         * them a unit takes half the room, and a search reads every record of a unit that has a word.
         */
        public Builder textIndexRows(boolean rows) {
            textIndexLists = rows;
            return this;
        }

        /**
         * How later units of the text index are made; by default {@link TextIndexParameters#DEFAULT}. Without {@link
         * #textIndexRows} only their number of records counts.
         */
        public Builder textIndexParameters(TextIndexParameters parameters) {
            textIndexParameters = Objects.requireNonNull(parameters);
            return this;
        }

        /**
         * The share of one processor that summing up runs of chunks takes at most, 0 to 1; default 0.1. With 0 none are summed up, and
         * the cost of queries grows with the number of chunks.
         *
         * @throws IllegalArgumentException for any other share
         */
        public Builder rollupShare(double share) {
            if (!(share >= 0 && share <= 1)) {
                throw new IllegalArgumentException("bad share: rollups=" + share + ", expected=0 to 1");
            }
            rollupShare = share;
            return this;
        }

        /** The bytes of the text index of each source beyond which its oldest units are deleted, 1 MiB or more; default no limit. */
        public Builder textIndexBytes(long bytes) {
            if (bytes < 1 << 20) {
                throw new IllegalArgumentException("text index too small: max bytes=" + bytes + ", min=" + (1 << 20));
            }
            textIndexBytes = bytes;
            return this;
        }

        /**
         * Hears how far long work has come for which a caller waits, each from 0 again: in {@link Loom#open} what is recovered, checked and
         * indexed, in {@link Loom#force} and {@link Loom#close} what only memory holds. Called by the thread that waits, which may be a recorder's;
         * what it returns and throws is ignored, as all of this work has to be done. While the store is being closed, the handler
         * can't write to it.
         */
        public Builder progress(ProgressHandler handler) {
            Objects.requireNonNull(handler);
            progress = handler == ProgressHandler.NONE ? handler : new UnendedProgress(handler);
            return this;
        }

        /**
         * The memory for what searches have read of the text index, bytes, 0 or more; default 32 MiB, and never more than an eighth of the
         * heap, of which it is taken as it is needed.
         */
        public Builder textIndexCacheBytes(long bytes) {
            textIndexCacheBytes = checkedTextIndexCacheBytes(bytes);
            return this;
        }

        /** As {@link #progress}, for a handler that may end the rewriting of indexes: a repair says so, and the next opening goes on. */
        Builder repairProgress(ProgressHandler handler) {
            progress = handler;
            return this;
        }

        /** How many bytes of index logs opening checks after a crash before it returns; a thread checks the rest. */
        Builder indexCheckBytes(long bytes) {
            indexCheckBytes = bytes;
            return this;
        }

        /** What sets aside, while the store is opened, what would otherwise be deleted. */
        Builder repair(Repair setsAside) {
            repair = setsAside;
            return this;
        }

        Builder storage(Storage access) {
            storage = access;
            return this;
        }

        /**
         * Makes the configuration. The calling thread's context class loader becomes the one that finds the store's {@linkplain
         * dev.loom.format.PayloadFormatProvider formats of the program's own}, whichever thread opens the store.
         */
        public LoomConfig build() {
            return new LoomConfig(new Settings(
                    directory,
                    staging,
                    recordRingBytes,
                    timeRingBytes,
                    chunkRingBytes,
                    segmentBytes,
                    maxBytes,
                    maxAge,
                    minFreeBytes,
                    eviction,
                    pressure,
                    clock,
                    durabilityInterval,
                    durabilityBytes,
                    sourcesMax,
                    adoptCopy,
                    rebuildIndexes,
                    backgroundRebuildBytes,
                    indexCheckBytes,
                    compressAfter,
                    compressionShare,
                    new TextIndexSettings(
                            textIndexShare,
                            textIndexMemory,
                            textIndexLists,
                            textIndexParameters,
                            textIndexBytes,
                            textIndexCacheBytes),
                    rollupShare,
                    List.copyOf(indexFunctions),
                    repair,
                    progress,
                    Thread.currentThread().getContextClassLoader(),
                    storage));
        }
    }
}
