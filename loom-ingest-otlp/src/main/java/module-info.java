/** The OTLP receiver. */
@SuppressWarnings("requires-transitive-automatic") // Agrona has no descriptor
module dev.loom.otlp {
    requires transitive dev.loom.core;
    requires static transitive org.jspecify;

    exports dev.loom.otlp;
    exports dev.loom.otlp.ingest;
    exports dev.loom.otlp.wire;

    provides dev.loom.format.PayloadFormatProvider with
            dev.loom.otlp.format.OtlpFormatProvider;
}
