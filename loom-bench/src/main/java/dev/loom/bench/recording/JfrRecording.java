package dev.loom.bench.recording;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** The JVM's flight recorder, with events of eight numbers, without stack traces, and with no other events. */
final class JfrRecording implements RecordingTarget {
    private static final String NAME = "dev.loom.bench.Numbers";

    private final Path file;
    private final Recording recording;

    /** The payload as fields. */
    @Name(NAME)
    @StackTrace(false)
    static final class Numbers extends Event {
        long number0;
        long number1;
        long number2;
        long number3;
        long number4;
        long number5;
        long number6;
        long number7;
    }

    JfrRecording(Path directory) {
        file = directory.resolve("events.jfr");
        recording = new Recording();
        recording.enable(NAME).withoutThreshold();
        try {
            recording.setDestination(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        recording.start();
    }

    @Override
    public Producer producer(int number) {
        return sequence -> {
            final Numbers event = new Numbers();
            event.number0 = RecordingTarget.number(0, number, sequence);
            event.number1 = RecordingTarget.number(1, number, sequence);
            event.number2 = RecordingTarget.number(2, number, sequence);
            event.number3 = RecordingTarget.number(3, number, sequence);
            event.number4 = RecordingTarget.number(4, number, sequence);
            event.number5 = RecordingTarget.number(5, number, sequence);
            event.number6 = RecordingTarget.number(6, number, sequence);
            event.number7 = RecordingTarget.number(7, number, sequence);
            event.commit();
        };
    }

    @Override
    public void finish() {
        recording.stop();
    }

    /**
     * A recording does not order its events, so a producer's events are sorted by sequence. Under pressure it drops whole
     * buffers.
     */
    @Override
    public long verify(int producers) {
        final List<long[]> found = new ArrayList<>();
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                final RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().equals(NAME)) {
                    final long[] numbers = new long[PAYLOAD_LENGTH / Long.BYTES];
                    for (int i = 0; i < numbers.length; i++) {
                        numbers[i] = event.getLong("number" + i);
                    }
                    found.add(numbers);
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(Comparator.comparingLong(numbers -> numbers[1]));
        final RecordedEvents events = new RecordedEvents(producers);
        found.forEach(numbers -> events.check(i -> numbers[i]));
        return events.found();
    }

    @Override
    public void close() {
        recording.close();
    }
}
