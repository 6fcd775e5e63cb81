package dev.loom.index;

/** Notified when the program's own code runs within a push, so that this code can be kept from writing. */
public interface FunctionGuard {
    /** A guard that does nothing. */
    FunctionGuard NONE = new FunctionGuard() {
        @Override
        public void enter() {}

        @Override
        public void leave() {}
    };

    /** Called before the code runs. Calls are not nested. */
    void enter();

    /** Called after the code has returned or thrown. */
    void leave();
}
