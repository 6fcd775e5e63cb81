package dev.loom.server;

/** The version that the build wrote into the JAR. */
public final class BuildVersion {
    private BuildVersion() {}

    public static String text() {
        String version = BuildVersion.class.getPackage().getImplementationVersion();
        return version == null ? "(development)" : version;
    }
}
