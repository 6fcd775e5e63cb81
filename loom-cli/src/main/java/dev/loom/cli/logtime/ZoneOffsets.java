package dev.loom.cli.logtime;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

/**
 * The offsets of a zone at local times, as {@code java.time} has them: a time that a change of the clock skips is as far after it as
 * the clock says; of a time that occurs twice it is the first. Remembers the last period without a change. For one thread.
 */
final class ZoneOffsets {
    private final ZoneRules rules;
    /** Local seconds, counted from 1970, at which {@link #offsetSeconds} holds; the end is excluded. */
    private long from;

    private long end;
    private int offsetSeconds;

    ZoneOffsets(ZoneId zone) {
        rules = zone.getRules();
    }

    /** The offset at a local time of the years 0 to 9999. */
    int at(long localSecond) {
        if (localSecond < from || localSecond >= end) {
            find(localSecond);
        }
        return offsetSeconds;
    }

    private void find(long localSecond) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(localSecond, 0, ZoneOffset.UTC);
        ZoneOffset offset = rules.getOffset(local);
        offsetSeconds = offset.getTotalSeconds();
        if (!offset.equals(rules.getOffset(local.toInstant(offset)))) {
            // the time is skipped
            from = localSecond;
            end = localSecond + 1;
            return;
        }
        ZoneOffsetTransition last =
                rules.previousTransition(local.toInstant(offset).plusNanos(1));
        ZoneOffsetTransition next = rules.nextTransition(local.toInstant(offset));
        from = last == null ? Long.MIN_VALUE : later(last);
        end = next == null ? Long.MAX_VALUE : earlier(next);
        if (localSecond < from || localSecond >= end) {
            // changes that follow each other within hours
            from = localSecond;
            end = localSecond + 1;
        }
    }

    private static long later(ZoneOffsetTransition change) {
        return Math.max(before(change), after(change));
    }

    /** Within an overlap the offset before the change holds, within a gap no time is remembered. */
    private static long earlier(ZoneOffsetTransition change) {
        return before(change);
    }

    private static long before(ZoneOffsetTransition change) {
        return change.getDateTimeBefore().toEpochSecond(ZoneOffset.UTC);
    }

    private static long after(ZoneOffsetTransition change) {
        return change.getDateTimeAfter().toEpochSecond(ZoneOffset.UTC);
    }
}
