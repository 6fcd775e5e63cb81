package dev.loom.bench.scaling;

import dev.loom.bench.push.PushTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Targets of one thread each, which share nothing but the disk. */
final class TargetTeam implements PushTeam {
    private final List<PushTarget> targets = new ArrayList<>();

    TargetTeam(Supplier<PushTarget> open, int threads) {
        try {
            for (int i = 0; i < threads; i++) {
                targets.add(open.get());
            }
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    @Override
    public void push(int thread, int count) {
        targets.get(thread).push(count);
    }

    @Override
    public void flush(int thread) {}

    @Override
    public void drain() {
        targets.forEach(PushTarget::drain);
    }

    @Override
    public void finish() {
        targets.forEach(PushTarget::finish);
    }

    @Override
    public void verify(long[] pushed) {
        for (int i = 0; i < targets.size(); i++) {
            if (targets.get(i).pushed() != pushed[i]) {
                throw new IllegalStateException("target has another number of records: thread=" + i + ", expected="
                        + pushed[i] + ", actual=" + targets.get(i).pushed());
            }
            targets.get(i).verify();
        }
    }

    @Override
    public void close() {
        targets.forEach(PushTarget::close);
    }
}
