package dev.loom.cli.logtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What times leave out, and the offsets of zones. */
class LogClockTest {
    private static final DateTimeFormatter SYSLOG = DateTimeFormatter.ofPattern("MMM ppd HH:mm:ss", Locale.ENGLISH);
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ENGLISH);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static LineTimes reader(
            String line, ZoneId zone, @Nullable Integer year, @Nullable LocalDate date, String now) {
        long nowNs = Instant.parse(now).getEpochSecond() * 1_000_000_000L;
        return Recognition.of(List.of(line.getBytes(UTF_8)), nowNs)
                .orElseThrow()
                .reader(new LogTimeSettings(zone, true, year, date), nowNs);
    }

    private static Instant read(LineTimes times, String line) {
        byte[] bytes = line.getBytes(UTF_8);
        assertEquals(LineTimes.Kind.TIME, times.read(bytes, 0, bytes.length), line);
        return Instant.EPOCH.plusNanos(times.timeNs());
    }

    @Test
    void shouldConvertLocalTimesAsJavaDoesInEveryZone() {
        List<String> zones = new ArrayList<>(ZoneId.getAvailableZoneIds());
        zones.sort(null);
        int skipped = 0;
        for (String name : zones) {
            ZoneId zone = ZoneId.of(name);
            ZoneOffsets offsets = new ZoneOffsets(zone);
            List<Long> seconds = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Instant around =
                        Instant.ofEpochSecond(-6_000_000_000L + (long) (random.nextDouble() * 10_000_000_000L));
                ZoneOffsetTransition change = zone.getRules().nextTransition(around);
                LocalDateTime local =
                        change == null ? LocalDateTime.ofInstant(around, zone) : change.getDateTimeBefore();
                for (int near :
                        new int[] {-90_000, -3_601, -1_800, -1, 0, 1, 1_200, 1_800, 3_599, 3_600, 7_200, 90_000}) {
                    seconds.add(local.plusSeconds(near).toEpochSecond(ZoneOffset.UTC));
                    seconds.add(
                            local.plusSeconds(random.nextInt(20_000) - 10_000).toEpochSecond(ZoneOffset.UTC));
                }
            }
            for (long second : seconds) {
                LocalDateTime local = LocalDateTime.ofEpochSecond(second, 0, ZoneOffset.UTC);
                long expected = local.atZone(zone).toEpochSecond();
                assertEquals(
                        expected,
                        second - offsets.at(second),
                        () -> "seed=" + seed + ", zone=" + zone + ", local=" + local);
                skipped += zone.getRules().getValidOffsets(local).isEmpty() ? 1 : 0;
            }
        }
        assertTrue(skipped > 100, "skipped=" + skipped);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldFollowALogThroughTheYears(boolean given) {
        for (int log = 0; log < 50; log++) {
            ZonedDateTime time = Instant.parse("2015-01-01T00:00:00Z")
                    .plusSeconds(random.nextInt(200_000_000))
                    .atZone(ZoneOffset.UTC);
            // without a year all must be within the year before now
            ZonedDateTime end = given ? time.plusYears(9) : time.plusDays(360);
            LineTimes times = reader(
                    SYSLOG.format(time) + " x",
                    ZoneOffset.UTC,
                    given ? time.getYear() : null,
                    null,
                    end.toInstant().toString());
            while (time.isBefore(end)) {
                Instant expected = time.toInstant();
                assertEquals(expected, read(times, SYSLOG.format(time) + " x"), "seed=" + seed);
                // out of order: by up to three weeks
                ZonedDateTime back = time.minusSeconds(random.nextInt(1_800_000));
                if (random.nextInt(4) == 0) {
                    assertEquals(back.toInstant(), read(times, SYSLOG.format(back) + " x"), "seed=" + seed);
                }
                time = time.plusSeconds(random.nextInt(20) == 0 ? random.nextInt(25_000_000) : random.nextInt(500_000));
            }
        }
    }

    @Test
    void shouldFollowALogThroughTheDays() {
        ZonedDateTime time = ZonedDateTime.of(2026, 2, 27, 22, 0, 0, 0, ZoneOffset.UTC);
        LineTimes times = reader("22:00:00.000 x", ZoneOffset.UTC, null, time.toLocalDate(), "2026-11-21T02:46:40Z");
        for (int i = 0; i < 5_000; i++) {
            assertEquals(time.toInstant(), read(times, CLOCK.format(time) + " x"), "seed=" + seed);
            boolean back = random.nextInt(3) == 0;
            time = back
                    ? time.minus(Duration.ofMillis(random.nextInt(600_000)))
                    : time.plus(Duration.ofMillis(random.nextInt(40_000_000)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Feb 29 00:00:00, 2026-11-21T02:46:40Z, 2024-02-29T00:00:00Z",
        "Nov 21 02:46:40, 2026-11-21T02:46:40Z, 2026-11-21T02:46:40Z",
        "Nov 22 02:46:40, 2026-11-21T02:46:40Z, 2026-11-22T02:46:40Z",
        "Nov 23 02:46:40, 2026-11-21T02:46:40Z, 2025-11-23T02:46:40Z",
        "Jan  1 00:00:00, 2026-12-31T02:46:40Z, 2027-01-01T00:00:00Z",
        "Dec 31 23:59:59, 2027-01-01T00:00:01Z, 2026-12-31T23:59:59Z",
    })
    void shouldBeginInTheLatestYearThatIsNotAhead(String text, String now, Instant time) {
        assertEquals(time, read(reader(text + " x", ZoneOffset.UTC, null, null, now), text + " x"));
    }

    @Test
    void shouldRefuseADayThatAGivenYearDoesNotHave() {
        LineTimes times = reader("Feb 29 00:00:00 x", ZoneOffset.UTC, 2023, null, "2026-11-21T02:46:40Z");
        byte[] line = "Feb 29 00:00:00 x".getBytes(UTF_8);
        assertEquals(LineTimes.Kind.UNPARSED, times.read(line, 0, line.length));
        assertEquals(Instant.parse("2023-03-01T00:00:00Z"), read(times, "Mar  1 00:00:00 x"));
        assertFalse(read(times, "Mar  1 00:00:01 x").isAfter(Instant.parse("2023-03-01T00:00:01Z")));
    }
}
