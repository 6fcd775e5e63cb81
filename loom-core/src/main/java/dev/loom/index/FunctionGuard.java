package dev.loom.index;

/** Is told when code of the program's own runs within a push, so that it can be kept from writing itself. */
public interface FunctionGuard {
    /** Where there is nothing to be kept from. */
    FunctionGuard NONE = new FunctionGuard() {
        @Override
        public void enter() {}

        @Override
        public void leave() {}
    };

    /** Before it runs. Calls are not nested. */
    void enter();

    /** After it has run, or thrown. */
    void leave();
}
