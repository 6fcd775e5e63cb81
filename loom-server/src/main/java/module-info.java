/** A store served to other processes, and what the faces of a store share: requests as texts, answers as JSON. */
@SuppressWarnings("module") // the command, the other face, is built after it
module dev.loom.server {
    requires transitive dev.loom.core;
    requires transitive dev.loom.otlp;
    requires transitive dev.loom.query;
    requires com.fasterxml.jackson.core;
    requires java.management;
    requires jdk.management; // for the metrics of the process
    requires org.apache.arrow.format;
    requires org.eclipse.jetty.server;
    requires org.eclipse.jetty.websocket.core.server;
    requires org.snakeyaml.engine;
    requires re2j; // has no descriptor
    requires static transitive org.jspecify;

    exports dev.loom.server;
    exports dev.loom.server.arrow to
            dev.loom.cli;
    exports dev.loom.server.client to
            dev.loom.cli;
    exports dev.loom.server.json to
            dev.loom.cli;
    exports dev.loom.server.request to
            dev.loom.cli;
    exports dev.loom.server.schema to
            dev.loom.cli;
    exports dev.loom.server.table to
            dev.loom.cli;
    exports dev.loom.server.text to
            dev.loom.cli;
    exports dev.loom.server.time to
            dev.loom.cli;
}
