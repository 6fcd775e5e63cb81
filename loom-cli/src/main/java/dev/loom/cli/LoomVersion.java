package dev.loom.cli;

import dev.loom.cli.console.BuildVersion;
import picocli.CommandLine.IVersionProvider;

/** The version of the build, and the machine's JDK. */
final class LoomVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"loom " + BuildVersion.text() + ", Java " + Runtime.version()};
    }
}
