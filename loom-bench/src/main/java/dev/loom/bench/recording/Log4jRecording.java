package dev.loom.bench.recording;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.async.AsyncLoggerContext;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;
import org.apache.logging.log4j.message.ReusableMessageFactory;

/**
 * Log4j 2 as its performance guide sets it up: garbage-free asynchronous loggers on the Disruptor, into a RandomAccessFile
 * appender that flushes at the end of each batch. A line has a time and 64 characters: producer and sequence in hexadecimal, and
 * padding.
 */
final class Log4jRecording implements RecordingTarget {
    /** The approximate size of an event there: the slots are objects with a text buffer. */
    private static final int BYTES_PER_SLOT = 256;

    private final Path file;
    private final AsyncLoggerContext context;
    private final Logger logger;

    Log4jRecording(Path directory, int ringBytes) {
        file = directory.resolve("events.log");
        System.setProperty("log4j2.asyncLoggerRingBufferSize", Integer.toString(ringBytes / BYTES_PER_SLOT));
        System.setProperty("log4j2.enableThreadlocals", "true");
        System.setProperty("log4j2.enableDirectEncoders", "true");
        final ConfigurationBuilder<BuiltConfiguration> configuration =
                ConfigurationBuilderFactory.newConfigurationBuilder();
        configuration.setStatusLevel(Level.ERROR);
        configuration.add(configuration
                .newAppender("file", "RandomAccessFile")
                .addAttribute("fileName", file.toString())
                .addAttribute("immediateFlush", false)
                .add(configuration.newLayout("PatternLayout").addAttribute("pattern", "%d{UNIX_MILLIS} %m%n")));
        configuration.add(configuration.newRootLogger(Level.INFO).add(configuration.newAppenderRef("file")));
        context = new AsyncLoggerContext("loom-bench", null, (URI) null);
        context.start(configuration.build(false));
        logger = context.getLogger("events", ReusableMessageFactory.INSTANCE);
    }

    @Override
    public Producer producer(int number) {
        final StringBuilder text = new StringBuilder(PAYLOAD_LENGTH);
        final HexFormat hex = HexFormat.of();
        return sequence -> {
            text.setLength(0);
            hex.toHexDigits(text, (byte) number);
            for (int shift = 56; shift >= 0; shift -= 8) {
                hex.toHexDigits(text, (byte) (sequence >>> shift));
            }
            while (text.length() < PAYLOAD_LENGTH) {
                text.append('.');
            }
            logger.info(text);
        };
    }

    @Override
    public void finish() {
        context.stop();
    }

    @Override
    public long verify(int producers) {
        final RecordedEvents events = new RecordedEvents(producers);
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.US_ASCII)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                final int at = line.indexOf(' ') + 1;
                if (line.length() - at != PAYLOAD_LENGTH) {
                    throw new IllegalStateException("line differs: text=" + line);
                }
                final int producer = HexFormat.fromHexDigits(line, at, at + 2);
                final long sequence = HexFormat.fromHexDigitsToLong(line, at + 2, at + 18);
                events.check(i -> RecordingTarget.number(i, producer, sequence));
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return events.found();
    }

    @Override
    public void close() {
        context.stop();
    }
}
