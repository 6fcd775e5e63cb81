package dev.loom.server.time;

import dev.loom.query.model.TimeRange;
import dev.loom.server.text.TextBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Writes epoch nanoseconds as RFC 3339 with nine digits. Caches the text of the last second, since records come in order. */
public final class TimePrinter {
    private static final long NS_PER_SECOND = 1_000_000_000L;
    private static final int FRACTION_DIGITS = 9;

    private final ZoneId zone;
    private final TextBuffer second = new TextBuffer(32);
    private byte[] offset = {};
    private long cachedSecond = Long.MIN_VALUE;

    public TimePrinter(ZoneId zone) {
        this.zone = zone;
    }

    public void print(long epochNs, TextBuffer into) {
        long epochSecond = Math.floorDiv(epochNs, NS_PER_SECOND);
        if (epochSecond != cachedSecond) {
            cache(epochSecond);
        }
        into.put(second.array(), 0, second.length());
        into.putPadded((int) Math.floorMod(epochNs, NS_PER_SECOND), FRACTION_DIGITS);
        into.put(offset);
    }

    public String text(long epochNs) {
        TextBuffer text = new TextBuffer(40);
        print(epochNs, text);
        return text.toString();
    }

    /** A range for people, such as {@code arrival time from 2026-11-21T10:00:00.000000000Z to the end}. */
    public String text(TimeRange range, boolean eventTime) {
        String from = range.fromNs() == Long.MIN_VALUE ? "the beginning" : text(range.fromNs());
        String to = range.toNs() == Long.MAX_VALUE ? "the end" : text(range.toNs()) + " (excluded)";
        return (eventTime ? "event" : "arrival") + " time from " + from + " to " + to;
    }

    private void cache(long epochSecond) {
        ZoneOffset zoneOffset = zone.getRules().getOffset(Instant.ofEpochSecond(epochSecond));
        LocalDateTime time = LocalDateTime.ofEpochSecond(epochSecond, 0, zoneOffset);
        second.clear();
        second.putPadded(time.getYear(), 4);
        putPart('-', time.getMonthValue());
        putPart('-', time.getDayOfMonth());
        putPart('T', time.getHour());
        putPart(':', time.getMinute());
        putPart(':', time.getSecond());
        second.put('.');
        offset = zoneOffset.getId().getBytes(StandardCharsets.US_ASCII);
        cachedSecond = epochSecond;
    }

    private void putPart(char separator, int value) {
        second.put(separator);
        second.putPadded(value, 2);
    }
}
