package dev.loom.server.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeTextTest {
    private static final long NOW_NS = 1_795_229_193_399_411_123L;

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T02:46:33.399411123Z, 1795229193399411123",
        "2026-11-21t02:46:33.399411123z, 1795229193399411123",
        "2026-11-21 02:46:33Z, 1795229193000000000",
        "2026-11-21T04:46:33+02:00, 1795229193000000000",
        "2026-11-21T02:46:33-00:30, 1795230993000000000",
        "2026-11-21T02:46:33, 1795229193000000000",
        "2026-11-21T02:46, 1795229160000000000",
        "2026-11-21, 1795219200000000000",
        "2026-11-21 02:46:33.399, 1795229193399000000",
        "'2026-11-21 02:46:33,399', 1795229193399000000",
        "'2026-11-21 02:46:33,399+0200', 1795221993399000000",
        "2026-11-21 02:46:33.399 UTC, 1795229193399000000",
        "2026-11-21T02:46:33 UTC, 1795229193000000000",
        "2026-11-21 02:46:33 GMT, 1795229193000000000",
        "2026-11-21 02:46:33.399411+00, 1795229193399411000",
        "2026-11-21 04:46:33 +0200, 1795229193000000000",
        "2026-11-21T02:46:33-0030, 1795230993000000000",
        "1969-12-31T23:59:59.5Z, -500000000",
        "1795229193, 1795229193000000000",
        "1795229193.4, 1795229193400000000",
        "1795229193399, 1795229193399000000",
        "1795229193399.411, 1795229193399411000",
        "1795229193399411.123, 1795229193399411123",
        "1795229193399411.1234567, 1795229193399411123",
        "1795229193399411122.9, 1795229193399411123",
        "-0.5, -500000000",
        "-1795229193399.5, -1795229193399500000",
        "2016-12-31T23:59:60Z, 1483228800000000000",
        "2016-12-31T23:59:60.5+00:00, 1483228800500000000",
        "2017-01-01 01:59:60 +0200, 1483228800000000000",
        "'2016-12-31 23:59:60,25 UTC', 1483228800250000000",
        "2016-12-31t23:59:60z, 1483228800000000000",
        "1795229193399411, 1795229193399411000",
        "1795229193399411123, 1795229193399411123",
        "0, 0",
        "-1, -1000000000",
        "now, 1795229193399411123",
        "now-5m, 1795228893399411123",
        "now+1h30m, 1795234593399411123"
    })
    void shouldReadATime(String text, long ns) {
        assertEquals(ns, TimeText.parse(text, NOW_NS, ZoneOffset.UTC));
    }

    @Test
    void shouldReadALocalTimeInTheZone() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        assertEquals(1_795_225_593_000_000_000L, TimeText.parse("2026-11-21T02:46:33", NOW_NS, berlin));
        assertEquals(1_795_215_600_000_000_000L, TimeText.parse("2026-11-21", NOW_NS, berlin));
        assertEquals(1_795_229_193_000_000_000L, TimeText.parse("2026-11-21T02:46:33Z", NOW_NS, berlin));
        assertEquals(1_483_228_800_000_000_000L, TimeText.parse("2017-01-01T00:59:60", NOW_NS, berlin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "5m",
                "now-",
                "now5m",
                "now-5",
                "2026-13-01",
                "2026-11-21T25:00Z",
                "2026-11-21T02:46:33+1",
                "2026-11-21T02:46:33+25:00",
                "2026-11-21T02:46:33  UTC",
                "2026-11-21 02:46:33 CET",
                "2026-11-21  02:46:33",
                "12345678901234567890",
                "2300-01-01",
                "1795229193.1234567890",
                "9999999999999999999.5",
                "99999999999.5",
                "99999999999999999.5",
                "2016-12-31T23:59:61Z",
                "2016-12-31T23:60:60Z",
                "--1"
            })
    void shouldRefuseWhatIsNoTime(String text) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> TimeText.parse(text, NOW_NS, ZoneOffset.UTC));
        assertEquals(
                "not a time: \"" + text + "\"; expected RFC 3339 such as 2026-11-21T02:46:33Z, an epoch or now-5m",
                e.getMessage());
    }

    @Test
    void shouldPrintAndReadBackAnyTime() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (String zone : new String[] {"UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"}) {
            TimePrinter printer = new TimePrinter(ZoneId.of(zone));
            for (int i = 0; i < 10_000; i++) {
                // Before 1900 offsets have seconds, which RFC 3339 has no room for.
                long ns = Math.floorMod(random.nextLong(), 8_000_000_000_000_000_000L) >> random.nextInt(40);
                assertEquals(ns, TimeText.parse(printer.text(ns), 0, ZoneOffset.UTC), "seed=" + seed + ", ns=" + ns);
            }
        }
    }

    @Test
    void shouldReadPlainTimesAsTheJdkDoes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        String odd = "0123456789-:T .,+Zz";
        int read = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder(String.format(
                    "%04d-%02d-%02d%c%02d:%02d:%02d",
                    1600 + random.nextInt(800),
                    random.nextInt(14),
                    random.nextInt(33),
                    random.nextBoolean() ? 'T' : ' ',
                    random.nextInt(25),
                    random.nextInt(61),
                    random.nextInt(61)));
            if (random.nextBoolean()) {
                text.append(random.nextInt(4) == 0 ? ',' : '.')
                        .append(random.nextInt(1 + random.nextInt(1_000_000_000)));
            }
            switch (random.nextInt(4)) {
                case 0 -> text.append('Z');
                case 1 ->
                    text.append(String.format(
                            "%c%02d:%02d", "+-".charAt(random.nextInt(2)), random.nextInt(20), random.nextInt(61)));
                default -> {}
            }
            if (random.nextInt(4) == 0) {
                text.setCharAt(random.nextInt(text.length()), odd.charAt(random.nextInt(odd.length())));
            }
            String written = text.toString();
            Long expected = ofJdk(written);
            Long found = null;
            try {
                long ns = PlainTime.epochNs(written, ZoneOffset.UTC);
                found = ns == PlainTime.NONE ? null : ns;
            } catch (ArithmeticException | DateTimeException e) {
                assertNull(expected, "seed=" + seed + ", text=" + written);
                continue;
            }
            if (found != null) {
                assertEquals(expected, found, "seed=" + seed + ", text=" + written);
                read++;
            }
        }
        assertTrue(read > 20_000, "seed=" + seed + ", read=" + read);
    }

    /** Nanoseconds, or null, by way of the JDK alone. */
    private static @Nullable Long ofJdk(String written) {
        boolean leap = written.startsWith(":60", 16);
        String text = written.substring(0, 10) + 'T' + written.substring(11).replace(',', '.');
        text = leap ? text.substring(0, 17) + "59" + text.substring(19) : text;
        try {
            boolean offset = text.endsWith("Z") || text.lastIndexOf('+') > 10 || text.lastIndexOf('-') > 10;
            Instant instant = offset
                    ? OffsetDateTime.parse(text).toInstant()
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
            BigInteger ns = BigInteger.valueOf(instant.getEpochSecond() + (leap ? 1 : 0))
                    .multiply(BigInteger.valueOf(1_000_000_000))
                    .add(BigInteger.valueOf(instant.getNano()));
            return ns.bitLength() < Long.SIZE ? ns.longValue() : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    @Test
    void shouldPrintNineDigitsAndTheOffset() {
        assertEquals("2026-11-21T02:46:33.399411123Z", new TimePrinter(ZoneOffset.UTC).text(NOW_NS));
        assertEquals("2026-11-21T03:46:33.399411123+01:00", new TimePrinter(ZoneId.of("Europe/Berlin")).text(NOW_NS));
        assertEquals("1969-12-31T23:59:59.999999999Z", new TimePrinter(ZoneOffset.UTC).text(-1));
        assertEquals(
                Instant.ofEpochSecond(0, Long.MIN_VALUE).toString(),
                new TimePrinter(ZoneOffset.UTC).text(Long.MIN_VALUE));
    }
}
