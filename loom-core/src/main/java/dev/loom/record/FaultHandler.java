package dev.loom.record;

import dev.loom.log.LogKind;

/** Receives what is wrong in a store's logs although the checksums of their pages are right. */
@FunctionalInterface
public interface FaultHandler {
    /**
     * Called for each fault.
     *
     * @param address where it is: of an entry, a record or a page
     */
    void onFault(LogKind log, long address, String message);
}
