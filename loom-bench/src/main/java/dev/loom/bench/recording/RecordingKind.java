package dev.loom.bench.recording;

import java.nio.file.Path;
import java.util.Arrays;

/** The ways of recording, by name. */
public enum RecordingKind {
    /** A ring of Agrona's, copied to a file. */
    LIMIT("limit") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new RingRecording(directory, ringBytes);
        }
    },
    /** {@link dev.loom.Recorder#offer}. */
    LOOM("loom") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new LoomRecording(directory, staging, ringBytes, false);
        }
    },
    /** {@link dev.loom.api.RecorderClaim}. */
    LOOM_CLAIM("loom-claim") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new LoomRecording(directory, staging, ringBytes, true);
        }
    },
    /** Log4j 2's asynchronous loggers on the Disruptor, into a file. */
    LOG4J("log4j") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new Log4jRecording(directory, ringBytes);
        }
    },
    /** Chronicle Queue. */
    CHRONICLE("chronicle") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new ChronicleRecording(directory);
        }
    },
    /** Custom events of the JVM's flight recorder. */
    JFR("jfr") {
        @Override
        public RecordingTarget open(Path directory, Path staging, int ringBytes) {
            return new JfrRecording(directory);
        }
    };

    private final String text;

    RecordingKind(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    public static RecordingKind parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown target: name=" + text));
    }

    /**
     * Opens a target without events.
     *
     * @param directory an empty directory on the disk under test
     * @param staging where Loom's rings are mapped
     * @param ringBytes size of the buffer between producers and writer, if there is one
     */
    public abstract RecordingTarget open(Path directory, Path staging, int ringBytes);
}
