/** The OTLP receiver. */
@SuppressWarnings("requires-transitive-automatic") // Agrona has no descriptor
module dev.loom.otlp {
    requires transitive dev.loom.core;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports dev.loom.otlp;
    exports dev.loom.otlp.ingest;
    exports dev.loom.otlp.json;
    exports dev.loom.otlp.wire;
}
