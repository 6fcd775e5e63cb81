package dev.loom.cli.importing;

import dev.loom.cli.input.InputWindow;
import dev.loom.cli.logtime.LineTimes;
import dev.loom.cli.logtime.LogLines;
import dev.loom.format.StructWriter;
import dev.loom.server.time.EpochTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The records of a log. A line with a time begins one, and the lines after it that have none join it, such as those of a stack trace.
 * Lines before the first time are records without one. A line that can't join, because the record would be too long or, of a live
 * input, because it came too late, begins a record with the time of the one before.
 */
final class LogInput implements RecordInput {
    static final int JOINED_LENGTH_MAX = 1 << 20;

    /** How long a record of a live input waits for more of its lines. */
    private static final long JOIN_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long AHEAD_NS = TimeUnit.DAYS.toNanos(1);

    /** The most bytes of a text's length. */
    private static final int LENGTH_BYTES_MAX = 5;

    private final InputWindow window;
    private final boolean live;
    private final @Nullable LineTimes times;
    private final int lineLengthMax;
    private final int joinedLengthMax;
    private final long aheadNs;
    private final StructWriter writer = new StructWriter(LogLines.FORMAT);
    private final UnsafeBuffer text = new UnsafeBuffer(new byte[0]);
    private long line = 1;
    private int lines;
    /** Bytes of the record with its last line's end. */
    private int consumed;

    private boolean tooLong;
    /** Whether only the line's end is left of it. */
    private boolean cut;

    private LineTimes.Kind time = LineTimes.Kind.NONE;
    private long timeNs;
    /** Whether the line behind the record has been looked at, and found to begin the next one. */
    private boolean lookedAhead;

    private LineTimes.Kind nextTime = LineTimes.Kind.NONE;
    private long nextTimeNs;
    private int nextEnd;
    private boolean begun;
    private long newestNs;
    private long joined;
    private long apart;
    private long withoutTime;

    /**
     * Begins at the first line.
     *
     * @param times null if no line has a time
     * @param nowNs times that are more than a day later are remarked on
     */
    LogInput(InputWindow window, boolean live, @Nullable LineTimes times, int payloadLengthMax, long nowNs) {
        this.window = window;
        this.live = live;
        this.aheadNs = nowNs + AHEAD_NS;
        this.newestNs = aheadNs;
        this.times = times;
        this.lineLengthMax = payloadLengthMax - LogLines.FORMAT.lengthMin() - LENGTH_BYTES_MAX;
        this.joinedLengthMax = Math.min(JOINED_LENGTH_MAX, lineLengthMax);
    }

    @Override
    public boolean next() throws IOException {
        window.consume(consumed);
        nextEnd -= consumed;
        line += lines;
        consumed = 0;
        lines = 0;
        tooLong = false;
        cut = false;
        if (!window.require(1)) {
            return false;
        }
        takeFirst();
        boolean joins = times != null && begun && !tooLong;
        while (joins && nextIsThere()) {
            joins = takeNext();
        }
        return true;
    }

    private void takeFirst() throws IOException {
        if (!lookedAhead) {
            nextEnd = firstEnd();
            nextTime = time(0, nextEnd);
        }
        lookedAhead = false;
        tooLong |= lengthWithoutEnd(0, nextEnd) > lineLengthMax;
        endLine(nextEnd);
        if (nextTime != LineTimes.Kind.NONE) {
            begun = true;
            time = nextTime;
            timeNs = nextTimeNs;
        } else if (begun && !tooLong) {
            apart++;
        }
    }

    private int firstEnd() throws IOException {
        int end = window.lineFeed(0);
        while (end == window.length()) {
            if (end > lineLengthMax) {
                tooLong = true;
                cut = true;
                window.consume(end);
            }
            int from = window.length();
            if (!window.more()) {
                return window.length();
            }
            end = window.lineFeed(from);
        }
        return end;
    }

    private LineTimes.Kind time(int from, int end) {
        LineTimes reader = times;
        if (reader == null || tooLong) {
            return LineTimes.Kind.NONE;
        }
        int start = window.arrayOffset();
        LineTimes.Kind kind = reader.read(window.array(), start + from, start + from + lengthWithoutEnd(from, end));
        nextTimeNs = reader.timeNs();
        return kind;
    }

    private int lengthWithoutEnd(int from, int end) {
        boolean feed = end < window.length();
        return end - from - (feed && end > from && window.at(end - 1) == '\r' ? 1 : 0);
    }

    private void endLine(int end) {
        consumed = Math.min(end + 1, window.length());
        lines++;
    }

    /** Whether a whole line is behind the record, one that may join; waits for it, but not long in a live input. */
    private boolean nextIsThere() {
        nextEnd = window.lineFeed(consumed);
        long deadlineNs = live ? System.nanoTime() + JOIN_NS : 0;
        while (nextEnd == window.length() && nextEnd <= joinedLengthMax) {
            int from = nextEnd;
            if (!more(deadlineNs)) {
                return window.ended() && nextEnd > consumed;
            }
            nextEnd = window.lineFeed(from);
        }
        return nextEnd < window.length();
    }

    /** A failure ends the record alone: the next one meets it again. */
    private boolean more(long deadlineNs) {
        try {
            return live ? window.more(Math.max(1, deadlineNs - System.nanoTime())) : window.more();
        } catch (IOException e) {
            return false;
        }
    }

    /** Takes the line behind the record if it joins. */
    private boolean takeNext() {
        nextTime = time(consumed, nextEnd);
        lookedAhead = nextTime != LineTimes.Kind.NONE || lengthWithoutEnd(0, nextEnd) > joinedLengthMax;
        if (!lookedAhead) {
            joined++;
            endLine(nextEnd);
        }
        return !lookedAhead;
    }

    @Override
    public boolean whole() {
        return !tooLong && (endsWithFeed() || window.ended());
    }

    private boolean endsWithFeed() {
        return consumed > 0 && window.at(consumed - 1) == '\n';
    }

    @Override
    public String position() {
        return "line " + line;
    }

    @Override
    public @Nullable String encode(PayloadBatch batch) {
        if (tooLong) {
            return "line is longer than " + lineLengthMax + " bytes";
        }
        int length = lengthWithoutEnd(0, endsWithFeed() ? consumed - 1 : consumed);
        int lengthNeeded = LogLines.FORMAT.lengthMin() + LENGTH_BYTES_MAX + length;
        batch.ensure(lengthNeeded);
        writer.begin(batch.buffer(), batch.offset(), lengthNeeded);
        if (time == LineTimes.Kind.TIME) {
            writer.setLong(LogLines.TIME_INDEX, timeNs);
            newestNs = Math.max(newestNs, timeNs);
        } else {
            withoutTime++;
        }
        if (text.byteArray() != window.array()) {
            text.wrap(window.array());
        }
        writer.setUtf8(LogLines.LINE_INDEX, text, window.arrayOffset(), length);
        batch.encoded(writer.finish());
        return null;
    }

    @Override
    public byte[] rawBytes() {
        return window.copy(0, consumed);
    }

    @Override
    public boolean cut() {
        return cut;
    }

    @Override
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (joined > 0) {
            remarks.add(joined + (joined == 1 ? " line" : " lines") + " joined the record before");
        }
        if (withoutTime > 0) {
            remarks.add(withoutTime + (withoutTime == 1 ? " line" : " lines") + " without a time");
        }
        if (apart > 0) {
            remarks.add(apart + (apart == 1 ? " line" : " lines") + " too late or too much to join");
        }
        if (newestNs > aheadNs) {
            remarks.add("the newest time is ahead of now: " + EpochTime.instant(newestNs));
        }
        return remarks;
    }
}
