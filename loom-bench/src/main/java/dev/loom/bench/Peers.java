package dev.loom.bench;

import dev.loom.bench.replay.SinkPrograms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where the systems are that {@code loom-bench/peers/install} installs, or the machine's owner. */
final class Peers {
    /** The value of an option for a program that is looked for. */
    static final String AUTO = "auto";

    /** The folder of the peers' programs. */
    static final String FOLDER = "loom-bench/peers";

    private static final String INSTALLED = "loom-bench/target/peers";

    private Peers() {}

    /** The programs that the options name, or that are found. */
    static SinkPrograms programs(Arguments options) {
        return new SinkPrograms(
                named(options.text("python"), INSTALLED + "/venv/bin/python"),
                Path.of(options.text("peers")),
                named(options.text("influxd"), INSTALLED + "/influxdb/usr/bin/influxd", "/usr/bin/influxd"),
                options.text("prototype"),
                options.text("fishstore"));
    }

    private static String named(String option, String... places) {
        if (!option.equals(AUTO)) {
            return option;
        }
        return List.of(places).stream()
                .filter(place -> Files.isExecutable(Path.of(place)))
                .findFirst()
                .orElse("");
    }
}
