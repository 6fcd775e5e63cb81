/** The OTLP receiver. */
@SuppressWarnings({"requires-transitive-automatic", "module"
}) // Agrona has no descriptor; what uses it is built after it
module dev.loom.otlp {
    requires transitive dev.loom.core;
    requires transitive org.eclipse.jetty.server;
    requires aircompressor; // has no descriptor
    requires org.eclipse.jetty.alpn.server;
    requires org.eclipse.jetty.http2.common;
    requires org.eclipse.jetty.http2.server;
    requires com.fasterxml.jackson.core;
    requires static transitive org.jspecify;

    exports dev.loom.otlp;
    exports dev.loom.otlp.export to
            dev.loom.server,
            dev.loom.cli;
    exports dev.loom.otlp.file to
            dev.loom.server,
            dev.loom.cli;
    exports dev.loom.otlp.ingest;
    exports dev.loom.otlp.json;
    exports dev.loom.otlp.server;
    exports dev.loom.otlp.tls to
            dev.loom.server,
            dev.loom.cli;

    provides dev.loom.format.PayloadFormatProvider with
            dev.loom.otlp.format.OtlpFormatProvider;
}
