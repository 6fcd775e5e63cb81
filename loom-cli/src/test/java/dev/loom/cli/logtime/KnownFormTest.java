package dev.loom.cli.logtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each form reads, compared with {@link DateTimeFormatter}. */
class KnownFormTest {
    private static final Instant NOW = Instant.parse("2040-01-01T00:00:00Z");
    private static final long NOW_NS = NOW.getEpochSecond() * 1_000_000_000L;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static LineTimes reader(RecognisedTimes times, ZoneId zone) {
        return times.reader(new LogTimeSettings(zone, true, null, null), NOW_NS);
    }

    private static RecognisedTimes recognised(String... lines) {
        return Recognition.of(
                        List.of(lines).stream()
                                .map(line -> line.getBytes(UTF_8))
                                .toList(),
                        NOW_NS)
                .orElseThrow();
    }

    private static Instant read(LineTimes times, String line) {
        byte[] bytes = ("+" + line + "0").getBytes(UTF_8);
        assertEquals(LineTimes.Kind.TIME, times.read(bytes, 1, bytes.length - 1), line);
        return Instant.EPOCH.plusNanos(times.timeNs());
    }

    private Instant randomTime(Instant from, Instant to) {
        long seconds = Duration.between(from, to).toSeconds();
        return from.plusSeconds((long) (random.nextDouble() * seconds)).plusNanos(random.nextInt(1_000_000_000));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "ISO 8601|` `|uuuu-MM-dd HH:mm:ss,SSS|` INFO [main] a.B: text`",
                "ISO 8601||uuuu-MM-dd HH:mm:ss|` text`",
                "ISO 8601||uuuu-MM-dd'T'HH:mm:ss.SSSSSSSSSXXX|` text`",
                "ISO 8601||uuuu-MM-dd'T'HH:mm:ss.SSSX|` text`",
                "ISO 8601||uuuu-MM-dd HH:mm:ss.SSSSSS xx|` text`",
                "ISO 8601||uuuu-MM-dd HH:mm:ss xxx|` text`",
                "ISO 8601||uuuu-MM-dd'T'HH:mm|` text`",
                "ISO 8601||uuuu-MM-dd HH:mm:ss.SSS 'UTC'|` [1234] LOG: text`",
                "ISO 8601|[|uuuu-MM-dd HH:mm:ss,SSS|] text",
                "ISO 8601|`INFO  [main] `|uuuu-MM-dd HH:mm:ss,SSS|` A.java:23 - text`",
                "ISO 8601|`level=info ts=`|uuuu-MM-dd'T'HH:mm:ss.SSSXXX|` text`",
                "ISO 8601|`time=\"`|uuuu-MM-dd'T'HH:mm:ssXXX|`\" level=info`",
                "ISO 8601|`web_1  | `|uuuu-MM-dd HH:mm:ss|` text`",
                "ISO 8601 of syslog (RFC 5424)|`<34>1 `|uuuu-MM-dd'T'HH:mm:ss.SSSX|` host su - ID47 - text`",
                "ISO 8601 of syslog (RFC 5424)|`<165>1 `|uuuu-MM-dd'T'HH:mm:ss.SSSSSSxxx|` host su - ID47 - text`",
                "ISO 8601, basic||uuuuMMdd'T'HHmmss,SSS|` text`",
                "ISO 8601, basic||uuuuMMdd'T'HHmmssX|` text`",
                "syslog with year||MMM dd uuuu HH:mm:ss|` host: text`",
                "Apache access log|`127.0.0.1 - frank [`|dd/MMM/uuuu:HH:mm:ss Z|`] \"GET / HTTP/1.0\" 200 2326`",
                "Apache access log|`a.example:80 127.0.0.1 - - [`|dd/MMM/uuuu:HH:mm:ss Z|`] \"GET /\"`",
                "Apache error log|[|EEE MMM dd HH:mm:ss uuuu|] [notice] text",
                "Apache error log|[|EEE MMM dd HH:mm:ss.SSSSSS uuuu|] [core:error] text",
                "glog with year|I|uuuuMMdd HH:mm:ss.SSSSSS|` 12345 file.cc:12] text`",
                "year/month/day||uuuu/MM/dd HH:mm:ss|` [error] text`",
                "year/month/day||uuuu/MM/dd HH:mm:ss.SSSSSS|` text`",
                "year/month/day, two digits||yy/MM/dd HH:mm:ss|` INFO a.B: text`",
                "day month year||dd MMM uuuu HH:mm:ss,SSS|` text`",
                "day month year|`4711:M `|dd MMM uuuu HH:mm:ss.SSS|` * text`",
                "day month year|`Tue, `|dd MMM uuuu HH:mm:ss 'GMT'|` text`",
                "day-month-year||dd-MMM-uuuu HH:mm:ss.SSS|` INFO [main] text`",
                "day.month.year||dd.MM.uuuu HH:mm:ss|` text`",
                "date and time of day||uuuuMMdd HH:mm:ss|` text`",
                "digits||uuuuMMddHHmmssSSS|` text`",
                "HDFS||yyMMdd HHmmss|` 148 INFO text`",
                "MySQL||yyMMdd ppH:mm:ss|` [Note] text`",
                "syslog with year||MMM dd uuuu HH:mm:ss xx|` host: text`",
                "syslog with year||MMM dd uuuu HH:mm:ss.SSS 'UTC'|: %ASA-6: text",
                "Apache error log|`Date: `|EEE MMM dd HH:mm:ss uuuu xx|` text`",
                "year/month/day, two digits||yy/MM/dd HH:mm:ss xx|` INFO a.B: text`",
                "day.month.year||dd.MM.uuuu HH:mm:ss xx|` start`",
                "day.month.year||dd.MM.uuuu HH:mm:ss,SSSxxx|` start`",
                "date and time of day||uuuuMMdd HH:mm:ssxx|` text`",
                "date and time of day||uuuuMMdd HH:mm:ss.SSS 'GMT'|` text`",
            })
    void shouldReadWhatTheFormatterWrites(String name, String before, String pattern, String after) {
        String prefix = before == null || before.isBlank() ? "" : before;
        DateTimeFormatter formatter = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
        Instant from =
                pattern.contains("yy") ? Instant.parse("2000-01-02T00:00:00Z") : Instant.parse("1678-01-01T00:00:00Z");
        boolean zoned = pattern.contains("X")
                || pattern.contains("x")
                || pattern.contains("Z")
                || pattern.contains("'UTC'")
                || pattern.contains("'GMT'");
        List<String> zones =
                List.of("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu");
        for (int i = 0; i < 300; i++) {
            ZoneId zone = ZoneId.of(zones.get(random.nextInt(zones.size())));
            int offset = pattern.contains("'") && pattern.endsWith("'") ? 0 : (random.nextInt(145) - 72) * 900;
            ZonedDateTime time =
                    randomTime(from, Instant.parse("2039-12-30T00:00:00Z")).atZone(ZoneOffset.ofTotalSeconds(offset));
            if (pattern.endsWith("X") && !pattern.endsWith("XX")) {
                time = time.toInstant().atZone(ZoneOffset.UTC);
            }
            String text = formatter.format(time);
            LocalDateTime local = time.toLocalDateTime().truncatedTo(unit(pattern));
            Instant expected = zoned
                    ? local.toInstant(time.getOffset())
                    : local.atZone(zone).toInstant();
            String line = prefix + text + after;
            RecognisedTimes found = recognised(line);
            String context = "seed=" + seed + ", line=" + line + ", zone=" + zone;
            assertEquals(name, found.name(), context);
            assertEquals(!zoned, found.lacksZone(), context);
            assertEquals(expected, read(reader(found, zone), line), context);
        }
    }

    private static ChronoUnit unit(String pattern) {
        int digits = pattern.length() - pattern.replace("S", "").length();
        return digits == 9
                ? ChronoUnit.NANOS
                : digits == 6
                        ? ChronoUnit.MICROS
                        : digits == 3
                                ? ChronoUnit.MILLIS
                                : pattern.contains("s") ? ChronoUnit.SECONDS : ChronoUnit.MINUTES;
    }

    @ParameterizedTest
    @CsvSource({
        "1795229193, 2026-11-21T02:46:33Z",
        "1795229193.25, 2026-11-21T02:46:33.250Z",
        "1795229193.123456789, 2026-11-21T02:46:33.123456789Z",
        "1795229193399, 2026-11-21T02:46:33.399Z",
        "1795229193399.5, 2026-11-21T02:46:33.399500Z",
        "1795229193399411, 2026-11-21T02:46:33.399411Z",
        "1795229193399411.75, 2026-11-21T02:46:33.399411750Z",
        "1795229193399411123, 2026-11-21T02:46:33.399411123Z",
    })
    void shouldTakeTheUnitOfAnEpochFromItsDigits(String number, Instant time) {
        for (String line : List.of(number, number + " text", '[' + number + "] text", "ts=" + number + ": text")) {
            RecognisedTimes found = recognised(line);
            assertEquals("epoch", found.name(), line);
            assertEquals(time, read(reader(found, ZoneOffset.UTC), line), line);
        }
    }

    /** A comma ends a column, unless it has a thousandth's, a millionth's or a billionth's digits behind it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1795229193,8080,GET|2026-11-21T02:46:33Z",
                "1795229193,250|2026-11-21T02:46:33Z",
                "1795229193399,500 text|2026-11-21T02:46:33.399Z",
                "1795229193.25,8080,GET|2026-11-21T02:46:33.250Z",
                "2026-11-21 02:46:33,8080,GET|2026-11-21T02:46:33Z",
                "2026-11-21 02:46:33,200,GET|2026-11-21T02:46:33.200Z",
                "2026-11-21 02:46:33,2 text|2026-11-21T02:46:33Z",
                "2026-11-21 02:46:33, text|2026-11-21T02:46:33Z",
                "2026-11-21T02:46:33.5,200|2026-11-21T02:46:33.500Z",
                "2026-11-21T02:46:33,200|2026-11-21T02:46:33.200Z",
                "2026-11-21T02:46:33,200+01:00 text|2026-11-21T01:46:33.200Z",
                "2026-11-21T02:46:33,200411 text|2026-11-21T02:46:33.200411Z",
                "2026-11-21T02:46:33,200411123 text|2026-11-21T02:46:33.200411123Z",
                "2026-11-21T02:46:33,200411123999 text|2026-11-21T02:46:33Z",
            })
    void shouldTellACommaBetweenColumnsFromThatOfAFraction(String line, Instant time) {
        assertEquals(time, read(reader(recognised(line), ZoneOffset.UTC), line));
    }

    /** Of numbers in a column some have as many digits as a fraction, and its records would be of one second in no order. */
    @Test
    void shouldTakeAllOrNoneOfALogsCommasForThoseOfFractions() {
        String count = "2026-11-21 02:46:33,200,GET";
        LineTimes columns = reader(recognised(count, "2026-11-21 02:46:34,17,GET"), ZoneOffset.UTC);
        assertEquals(Instant.parse("2026-11-21T02:46:33Z"), read(columns, count));
        String millis = "2026-11-21 02:46:33,200,INFO";
        LineTimes fractions =
                reader(recognised("2026-11-21 02:46:34 INFO", millis, "2026-11-21 02:46:34,017,INFO"), ZoneOffset.UTC);
        assertEquals(Instant.parse("2026-11-21T02:46:33.200Z"), read(fractions, millis));
        assertEquals(Instant.parse("2026-11-21T02:46:33Z"), read(fractions, "2026-11-21 02:46:33,20,INFO"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "syslog (RFC 3164)|Jun 14 15:16:01 combo sshd(pam_unix)[19939]: text|2039-06-14T15:16:01Z",
                "syslog (RFC 3164)|Jun  4 15:16:01 combo sshd: text|2039-06-04T15:16:01Z",
                "syslog (RFC 3164)|<34>Oct 11 22:14:15 mymachine su: text|2039-10-11T22:14:15Z",
                "glog|I1124 18:01:47.123456 12345 file.cc:12] text|2039-11-24T18:01:47.123456Z",
                "glog|E0101 00:00:00.5 12345 file.cc:12] text|2040-01-01T00:00:00.500Z",
                "month-day|03-17 16:13:38.811  1702  2395 D Tag: text|2039-03-17T16:13:38.811Z",
                "time of day|18:01:47.978 [main] INFO  a.B - text|2039-12-31T18:01:47.978Z",
                "time of day|00:00:00,000 [main] INFO  a.B - text|2040-01-01T00:00:00Z",
                "syslog (RFC 3164)|Jun 14 15:16:01 +0200 combo sshd: text|2039-06-14T13:16:01Z",
                "syslog (RFC 3164)|Jun 14 15:16:01.5-03:30 combo sshd: text|2039-06-14T18:46:01.500Z",
                "month-day|03-17 16:13:38.811 +0100  1702  2395 D Tag: text|2039-03-17T15:13:38.811Z",
                "time of day|18:01:47.978 +0100 [main] text|2039-12-31T17:01:47.978Z",
                "time of day|18:01:47-06 [main] text|2040-01-01T00:01:47Z",
            })
    void shouldPutATimeWithoutYearOrDateBeforeNow(String name, String line, Instant time) {
        RecognisedTimes found = recognised(line);
        assertEquals(name, found.name());
        assertEquals(name.equals("time of day"), found.lacksDate());
        assertEquals(!name.equals("time of day"), found.lacksYear());
        assertEquals(time, read(reader(found, ZoneOffset.UTC), line));
    }

    /** Names of hosts and zones, ranges and columns. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Jun 14 15:16:01 host a: text",
                "Jun 14 15:16:01 Z a: text",
                "Jun 14 15:16:01 UTC2 a: text",
                "Jun 14 15:16:01 GMT-host a: text",
                "Jun 14 15:16:01 CET a: text",
                "Jun 14 15:16:01 - text",
                "Jun 14 15:16:01 -7 text",
                "Jun 14 15:16:01 +01 text",
                "Jun 14 15:16:01 -1575 text",
                "Jun 14 15:16:01 -2100 text",
                "Jun 14 15:16:01 +0407 text",
                "15:16:01-15:18 text",
                "Jun 14 15:16:01 Zurich a: text",
                "15:16:01-15:18:02 text",
                "15:16:01-09:18:02",
                "[15:16:01] -0300 text",
                "15:16:01|+0300"
            })
    void shouldTakeNoOtherWordForAnOffset(String line) {
        RecognisedTimes found = recognised(line);
        assertTrue(found.lacksZone());
        assertTrue(read(reader(found, ZoneOffset.UTC), line).toString().endsWith("T15:16:01Z"));
    }

    @Test
    void shouldCountSecond60AsTheNextMinutesFirst() {
        String line = "2016-12-31T23:59:60Z text";
        assertEquals(Instant.parse("2017-01-01T00:00:00Z"), read(reader(recognised(line), ZoneOffset.UTC), line));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2026-13-24 18:01:47 text",
                "2026-00-24 18:01:47 text",
                "2026-02-29 18:01:47 text",
                "2026-11-31 18:01:47 text",
                "2026-11-24 24:01:47 text",
                "2026-11-24 18:60:47 text",
                "2026-11-24 18:01:61 text",
                "2026-11-24 18:01:47+19:00 text",
                "2026-11-24 18:01:47+01:60 text",
                "2300-11-24 18:01:47 text",
                "1600-11-24 18:01:47 text",
                "0000-11-24 18:01:47 text",
                "9999-12-31 23:59:59 text",
            })
    void shouldTellATimeThatThereIsNot(String line) {
        LineTimes times = reader(recognised("2026-11-24 18:01:47 text"), ZoneOffset.UTC);
        byte[] bytes = line.getBytes(UTF_8);
        assertEquals(LineTimes.Kind.UNPARSED, times.read(bytes, 0, bytes.length));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``",
                "text",
                "` 2026-11-24 18:01:47 indented`",
                "2026-11-24",
                "2026-11-24 18",
                "2026-11-24 18:01:",
                "2026-11-24 18:01:4",
                "2026-11-24 18:01:471",
                "2026-1a-24 18:01:47",
                "at a.B.c(B.java:1)",
                "Caused by: x",
            })
    void shouldTellALineWithoutATime(String line) {
        LineTimes times = reader(recognised("2026-11-24 18:01:47 text"), ZoneOffset.UTC);
        byte[] bytes = line.getBytes(UTF_8);
        assertEquals(LineTimes.Kind.NONE, times.read(bytes, 0, bytes.length));
    }

    /** Only what follows an hour of half a day, and only where it is a word. */
    @ParameterizedTest
    @ValueSource(strings = {" Amount 5", " a", " p m", " pm2", " 5 am", "", " AMD", " from 2026"})
    void shouldReadTimesBesideWordsThatAreNoHalvesOfADay(String after) {
        LineTimes times = reader(recognised("2026-11-24 18:01:47 text"), ZoneOffset.UTC);
        for (String time : List.of("2026-11-24 06:01:47", "2026-11-24 18:01:47")) {
            byte[] bytes = (time + after).getBytes(UTF_8);
            assertEquals(LineTimes.Kind.TIME, times.read(bytes, 0, bytes.length), after);
        }
        byte[] evening = "2026-11-24 18:01:47 PM has hours of a whole day".getBytes(UTF_8);
        assertEquals(LineTimes.Kind.TIME, times.read(evening, 0, evening.length));
    }

    /** As {@code dmesg --time-format iso} prints it: PM is the kernel's power management. */
    @Test
    void shouldReadATimeWithAnOffsetWhateverFollows() {
        LineTimes times = reader(recognised("2026-11-24T18:01:47,978000+01:00 text"), ZoneOffset.UTC);
        for (String line : List.of(
                "2026-11-24T06:01:47,123456+01:00 PM: suspend entry (deep)",
                "2026-11-24T18:01:47,123456+01:00 PM: suspend exit")) {
            byte[] bytes = line.getBytes(UTF_8);
            assertEquals(LineTimes.Kind.TIME, times.read(bytes, 0, bytes.length), line);
        }
    }

    /** It is a message of its own, and no line of the one before. */
    @Test
    void shouldTellASyslogMessageWhoseTimeIsNotKnown() {
        LineTimes times = reader(recognised("<34>1 2026-11-24T18:01:47.978Z host su - - - text"), ZoneOffset.UTC);
        Map<String, LineTimes.Kind> kinds = Map.of(
                "<34>1 - host su - - - text", LineTimes.Kind.UNPARSED,
                "<165>1 - - - - - -", LineTimes.Kind.UNPARSED,
                "<34>1 -", LineTimes.Kind.NONE,
                "<34> 1 - host", LineTimes.Kind.NONE,
                "34>1 - host", LineTimes.Kind.NONE,
                "\tat a.B.c(B.java:1)", LineTimes.Kind.NONE);
        kinds.forEach((line, kind) -> {
            byte[] bytes = line.getBytes(UTF_8);
            assertEquals(kind, times.read(bytes, 0, bytes.length), line);
        });
    }

    @Test
    void shouldTakeAnythingForALine() {
        List<String> written = List.of(
                "2026-11-24 18:01:47,978+01:00 x",
                "Jun 14 15:16:01 x",
                "[Sun Dec 04 04:47:44.123456 2005] x",
                "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] x",
                "I1124 18:01:47.123456 1 x",
                "17/06/09 20:10:40 x",
                "081109 203615 x",
                "20121102143402123 x",
                "1795229193.123 x",
                "<34>1 2003-10-11T22:14:15.003Z x",
                "18:01:47.978 [main] x",
                "081109  9:36:15 x",
                "24-Nov-2026 18:01:47.978 x");
        List<LineTimes> readers = written.stream()
                .map(line -> reader(recognised(line), ZoneId.of("Europe/Berlin")))
                .toList();
        int times = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] line = written.get(random.nextInt(written.size())).getBytes(UTF_8);
            int changes = random.nextInt(4);
            for (int change = 0; change < changes; change++) {
                boolean digit = random.nextBoolean();
                line[random.nextInt(line.length)] = (byte) (digit ? '0' + random.nextInt(10) : random.nextInt(256));
            }
            int from = random.nextInt(3);
            int end = random.nextBoolean() ? line.length : from + random.nextInt(line.length - from + 1);
            // what reads beyond the end finds no array there
            byte[] cut = Arrays.copyOf(line, end);
            for (LineTimes reader : readers) {
                times += reader.read(cut, from, end) == LineTimes.Kind.TIME ? 1 : 0;
            }
            Recognition.of(List.of(line, cut), NOW_NS);
        }
        assertTrue(times > 1_000, "seed=" + seed + ", times=" + times);
    }
}
