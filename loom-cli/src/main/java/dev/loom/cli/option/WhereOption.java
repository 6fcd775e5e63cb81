package dev.loom.cli.option;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The conditions that records must meet. */
public final class WhereOption {
    @Option(
            names = "--where",
            paramLabel = "EXPR",
            description = "Only records that match this expression, such as 'latency_ns > 50ms and op =="
                    + " \"GET\"'; repeatable.")
    private List<String> where = new ArrayList<>();

    public List<String> texts() {
        return where;
    }
}
