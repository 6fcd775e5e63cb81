/** The store. Packages that are not named here are its own. */
@SuppressWarnings("requires-transitive-automatic") // Agrona has no descriptor
module dev.loom.core {
    requires transitive org.agrona.core;
    requires jdk.unsupported; // sun.misc.Unsafe for Agrona, which has no descriptor; direct I/O for us
    requires static transitive org.jspecify;
    requires static aircompressor; // dev.loom.compress alone; has no descriptor
    requires static chronicle.bytes; // dev.loom.bytes alone, whose users require both themselves:
    requires static chronicle.core; // transitive would make them necessary to compile anything against this module

    exports dev.loom;
    exports dev.loom.api;
    exports dev.loom.bytes;
    exports dev.loom.error;
    exports dev.loom.format;
    exports dev.loom.read;
    exports dev.loom.text;
    exports dev.loom.value;

    uses dev.loom.format.PayloadFormatProvider;
}
