package dev.loom.server.prometheus.promql;

import java.util.LinkedHashSet;
import java.util.Set;

/** What is to be said of an answer: each once, and not too many. For one thread. */
public final class Remarks {
    private static final int COUNT_MAX = 10;

    private final Set<String> warnings = new LinkedHashSet<>();
    private final Set<String> infos = new LinkedHashSet<>();

    /** Makes none. */
    public Remarks() {}

    /** The answer lacks something. */
    public void warn(String warning) {
        add(warnings, warning);
    }

    /** The question may not be meant so. */
    public void inform(String info) {
        add(infos, info);
    }

    private static void add(Set<String> to, String remark) {
        if (to.size() < COUNT_MAX) {
            to.add(remark);
        }
    }

    public Set<String> warnings() {
        return warnings;
    }

    public Set<String> infos() {
        return infos;
    }
}
