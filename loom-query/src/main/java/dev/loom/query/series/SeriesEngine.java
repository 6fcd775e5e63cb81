package dev.loom.query.series;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.group.Ending;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.value.KeyEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Adds up series step by step, from points in the order of their times. Holds a state for each series and group, and nothing for steps
 * that are over. For one thread.
 */
public final class SeriesEngine implements AutoCloseable {
    private static final int KEY_LENGTH_MAX = 1 << 12;

    private final Terms terms;
    private final QueryMemory memory;
    private final Handler handler;
    private final Ending ending;
    private final Point point;
    private final SeriesKey key;
    private final KeyEncoder groupKey;
    private final Map<Object, SeriesState> series = new HashMap<>();
    private final Map<String, Members> groups = new LinkedHashMap<>();
    private long reserved;
    private long distributionBytes;
    private long step;
    private long stepToNs;
    private long records;
    private long points;
    private long duplicates;
    private long without;

    /**
     * What is asked.
     *
     * @param by the fields whose values make a group, of the first point of a series
     * @param steps of the range
     * @param lookbackNs how old the last value may be; points so long before the range are expected too
     * @param last whether last values are needed
     * @param buckets whether the buckets of histograms are needed
     */
    public record Terms(
            List<String> by, TimeSteps steps, long lookbackNs, boolean last, boolean buckets, int seriesMax) {}

    private record Members(GroupState group, List<SeriesState> series) {}

    /** Takes the groups of steps. */
    public interface Handler {
        /**
         * A group in a step that is over, during the call only.
         *
         * @param series how many have a value in the step, or a last one
         * @param last the sum of last values; null if there are none, or they are not needed
         */
        void onStep(TimeRange step, GroupState group, long series, @Nullable Amount last);
    }

    /**
     * Begins with the first step.
     *
     * @param lookup finds the records that points refer to
     * @param memory where it reserves what it holds
     * @param cancelled ends long work in memory
     */
    public SeriesEngine(
            PayloadFormat format,
            @Nullable RecordLookup lookup,
            Terms terms,
            QueryMemory memory,
            BooleanSupplier cancelled,
            Handler handler) {
        this.terms = terms;
        this.memory = memory;
        this.handler = handler;
        ending = new Ending(cancelled);
        point = new Point(format, lookup);
        key = new SeriesKey(format, lookup);
        groupKey = new KeyEncoder(format, terms.by(), lookup, 0);
        stepToNs = terms.steps().range(0).toNs();
    }

    /**
     * Takes the next point, whose time is not before that of the previous one.
     *
     * @throws GroupLimitException if there are more series than the cap
     */
    public void add(long timeNs, DirectBuffer buffer, int offset, int length) {
        records++;
        point.read(buffer, offset, length);
        if (!point.valued() && !point.withoutValue()) {
            without++;
            return;
        }
        boolean inRange = timeNs >= terms.steps().range().fromNs();
        if (inRange && timeNs >= stepToNs) {
            endSteps(terms.steps().step(timeNs));
        }
        key.read(buffer, offset, length);
        SeriesState state = series.get(key);
        if (state == null) {
            state = addSeries(buffer, offset, length);
        } else if (timeNs <= state.pointNs()) {
            duplicates++;
            return;
        }
        if (point.withoutValue()) {
            state.end(timeNs);
            return;
        }
        add(state, timeNs);
        if (inRange) {
            points++;
            state.group.addPoint(state.entersStep(step));
        }
    }

    private void add(SeriesState state, long timeNs) {
        long held = state.bucketBytes();
        state.add(point, timeNs, terms.steps().range().fromNs(), terms.buckets());
        reserve(state.bucketBytes() - held);
        if (terms.buckets()) {
            long more = state.group.grown();
            distributionBytes += more;
            reserve(more);
        }
    }

    private void reserve(long bytes) {
        if (bytes > 0) {
            memory.reserve(bytes);
        } else {
            memory.release(-bytes);
        }
        reserved += bytes;
    }

    private SeriesState addSeries(DirectBuffer buffer, int offset, int length) {
        if (series.size() >= terms.seriesMax()) {
            throw new GroupLimitException(Cap.SERIES, series.size() + 1L, terms.seriesMax(), records);
        }
        SeriesKey.Kept kept = key.keep();
        reserve(SeriesState.BYTES + kept.length());
        int keyLength = groupKey.encode(buffer, offset, length);
        if (keyLength == KeyEncoder.TOO_LONG) {
            throw new GroupLimitException(Cap.KEY_BYTES, groupKey.lengthWanted(), KEY_LENGTH_MAX, records);
        }
        byte[] bytes = new byte[keyLength];
        groupKey.key().getBytes(0, bytes);
        String name = new String(bytes, StandardCharsets.ISO_8859_1);
        Members members = groups.get(name);
        if (members == null) {
            reserve(GroupState.BYTES + 4L * keyLength);
            List<FieldValue> values = groupKey.decode(groupKey.key(), 0);
            members = new Members(new GroupState(values), new ArrayList<>());
            groups.put(name, members);
        }
        SeriesState state = new SeriesState(members.group());
        members.series().add(state);
        series.put(kept, state);
        return state;
    }

    /** Ends the steps that are over, up to one that a point is in. */
    private void endSteps(int next) {
        boolean any = true;
        while (step < next && any && !ending.isNow()) {
            any = endStep();
            beginStep(step + 1);
        }
        beginStep(next);
    }

    private void beginStep(long number) {
        step = number;
        stepToNs = terms.steps().range((int) number).toNs();
    }

    /** Hands over the groups of the step; false if there are none. */
    private boolean endStep() {
        TimeRange times = terms.steps().range((int) step);
        boolean any = false;
        for (Members members : new ArrayList<>(groups.values())) {
            GroupState group = members.group();
            Amount last = null;
            long count = group.series();
            if (terms.last()) {
                count = 0;
                for (SeriesState member : members.series()) {
                    boolean alive = member.isAlive(times.fromNs(), times.toNs(), terms.lookbackNs());
                    if (alive) {
                        last = last == null ? new Amount() : last;
                        last.add(member.last());
                    }
                    count += alive || member.isInStep(step) ? 1 : 0;
                    if (ending.isNow()) {
                        return any;
                    }
                }
            }
            if (last != null || group.points() > 0) {
                handler.onStep(times, group, count, last);
                any = true;
            }
            group.beginStep();
        }
        reserve(-distributionBytes);
        distributionBytes = 0;
        return any;
    }

    /** Ends the last steps. */
    public void end() {
        endSteps(terms.steps().count() - 1);
        if (!ending.isNow()) {
            endStep();
        }
    }

    /** The number of series met, also before the range. */
    public int series() {
        return series.size();
    }

    /** The number of points of the range that count. */
    public long points() {
        return points;
    }

    /** The number of points left out, as their series has one of the same time already. */
    public long duplicates() {
        return duplicates;
    }

    /** The number of points left out, as they have no value. */
    public long without() {
        return without;
    }

    @Override
    public void close() {
        memory.release(reserved);
        reserved = 0;
    }
}
