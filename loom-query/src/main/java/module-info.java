/** Operators over snapshots of a store. */
@SuppressWarnings("module") // the faces are built after it
module dev.loom.query {
    requires transitive dev.loom.core;
    requires re2j; // has no descriptor
    requires static transitive org.jspecify;

    exports dev.loom.query;
    exports dev.loom.query.column to
            dev.loom.server,
            dev.loom.parquet,
            dev.loom.cli;
    exports dev.loom.query.model;
    exports dev.loom.query.service to
            dev.loom.server,
            dev.loom.parquet,
            dev.loom.cli;
    exports dev.loom.query.text;
    exports dev.loom.query.trace to
            dev.loom.server,
            dev.loom.cli;
    exports dev.loom.query.where;
}
