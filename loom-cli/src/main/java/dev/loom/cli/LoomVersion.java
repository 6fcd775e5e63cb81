package dev.loom.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the archive, and the machine's JDK. */
final class LoomVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = LoomVersion.class.getPackage().getImplementationVersion();
        return new String[] {"loom " + (version == null ? "(development)" : version) + ", Java " + Runtime.version()};
    }
}
