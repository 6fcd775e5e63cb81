package dev.loom.bench.probe;

import java.util.Locale;

/** What is told about an application. */
enum ProbeSource {
    /** Each request to the application, by the application. */
    REQUESTS(0),
    /** Each of its system calls, by the kernel. */
    SYSTEM_CALLS(1),
    /** Each page that its system calls put into the page cache, by the kernel. */
    PAGE_CACHE(2);

    private final int number;

    ProbeSource(int number) {
        this.number = number;
    }

    /** Its number in frames, from 0. */
    int number() {
        return number;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
