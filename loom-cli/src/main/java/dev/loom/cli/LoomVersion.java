package dev.loom.cli;

import dev.loom.server.BuildVersion;
import picocli.CommandLine.IVersionProvider;

/** The versions of Loom and of the JDK that runs it. */
final class LoomVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"loom " + BuildVersion.text() + ", Java " + Runtime.version()};
    }
}
