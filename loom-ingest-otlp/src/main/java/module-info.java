/** The OTLP receiver. */
module dev.loom.otlp {
    requires transitive dev.loom.core;
    requires static transitive org.jspecify;

    exports dev.loom.otlp.wire;
}
