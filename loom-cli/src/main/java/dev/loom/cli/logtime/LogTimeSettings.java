package dev.loom.cli.logtime;

import java.time.LocalDate;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * What the times of a log leave out.
 *
 * @param zone of times without an offset
 * @param zoneGiven whether somebody said so
 * @param year of the first time, if years are not written; null for the one that puts it before now
 * @param date of the first time, if dates are not written; null for today, or yesterday
 */
public record LogTimeSettings(
        ZoneId zone,
        boolean zoneGiven,
        @Nullable Integer year,
        @Nullable LocalDate date) {}
