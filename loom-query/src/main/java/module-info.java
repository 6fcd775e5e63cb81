/** Operators over snapshots of a store. */
module dev.loom.query {
    requires transitive dev.loom.core;
    requires static transitive org.jspecify;

    exports dev.loom.query;
    exports dev.loom.query.model;
    exports dev.loom.query.service;
    exports dev.loom.query.text;
    exports dev.loom.query.where;
}
