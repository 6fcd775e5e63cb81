/** A store served to other processes, and what the faces of a store share: requests as texts, answers as JSON. */
module dev.loom.server {
    requires transitive dev.loom.core;
    requires transitive dev.loom.otlp;
    requires transitive dev.loom.query;
    requires com.fasterxml.jackson.core;
    requires java.management;
    requires jdk.management; // for the metrics of the process
    requires org.eclipse.jetty.server;
    requires org.snakeyaml.engine;
    requires static transitive org.jspecify;

    exports dev.loom.server;
    exports dev.loom.server.client;
    exports dev.loom.server.json;
    exports dev.loom.server.request;
    exports dev.loom.server.schema;
    exports dev.loom.server.text;
    exports dev.loom.server.time;
}
