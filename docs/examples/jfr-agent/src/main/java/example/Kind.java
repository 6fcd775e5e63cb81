package example;

import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;

/** What is recorded: a kind of JFR event each, with a source of its own. */
enum Kind {
    SOCKET_READS("jdk.SocketRead", "bytesRead", "address"),
    SOCKET_WRITES("jdk.SocketWrite", "bytesWritten", "address"),
    FILE_READS("jdk.FileRead", "bytesRead", "path"),
    FILE_WRITES("jdk.FileWrite", "bytesWritten", "path"),
    /** One in some: {@code bytes} is how much the sample stands for. */
    ALLOCATIONS("jdk.ObjectAllocationSample", "weight", "objectClass"),
    GC_PAUSES("jdk.GCPhasePause", null, "name"),
    THREAD_PARKS("jdk.ThreadPark", null, "parkedClass");

    final String event;
    private final String bytesField;
    private final String subjectField;

    Kind(String event, String bytesField, String subjectField) {
        this.event = event;
        this.bytesField = bytesField;
        this.subjectField = subjectField;
    }

    String sourceName() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /** The field to be asked for first: most have a duration, a sample of allocation has not. */
    String indexedField() {
        return this == ALLOCATIONS ? "bytes" : "duration_ns";
    }

    long bytes(RecordedEvent event) {
        return bytesField == null ? 0 : event.getLong(bytesField);
    }

    /** File, peer, class, or phase; empty when the JVM does not say. */
    String subject(RecordedEvent event) {
        if (subjectField.equals("address")) {
            return event.getString("address") + ':' + event.getInt("port");
        }
        Object subject = event.getValue(subjectField);
        if (subject instanceof RecordedClass type) {
            return type.getName();
        }
        return subject == null ? "" : subject.toString();
    }
}
