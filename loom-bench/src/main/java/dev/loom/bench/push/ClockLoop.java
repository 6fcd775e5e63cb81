package dev.loom.bench.push;

/** Reads the clock once per record and does nothing else. */
final class ClockLoop implements PushTarget {
    private final TargetFiles files;
    private long pushed;
    private long decreases;
    private long lastNs = System.nanoTime();

    ClockLoop(TargetFiles files) {
        this.files = files;
    }

    @Override
    public void push(int count) {
        long last = lastNs;
        for (int i = 0; i < count; i++) {
            final long nowNs = System.nanoTime();
            if (nowNs < last) {
                decreases++;
            }
            last = nowNs;
        }
        lastNs = last;
        pushed += count;
    }

    @Override
    public long pushed() {
        return pushed;
    }

    @Override
    public void finish() {}

    @Override
    public void verify() {
        if (decreases != 0) {
            throw new IllegalStateException("clock went back: times=" + decreases);
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
