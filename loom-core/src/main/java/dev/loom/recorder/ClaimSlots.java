package dev.loom.recorder;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All claim objects handed out, to find those of ended threads. Usable from any thread. */
final class ClaimSlots {
    private final List<ClaimSlot> slots = new ArrayList<>();

    synchronized ClaimSlot add(Intake intake, RecorderRing ring) {
        slots.removeIf(slot -> slot.ownerHasEnded() && !slot.isOpen());
        ClaimSlot slot = new ClaimSlot(intake, ring, this);
        slots.add(slot);
        return slot;
    }

    /** Finds a slot again that another thread has taken over, though it may have been dropped at its former owner's end. */
    synchronized void keep(ClaimSlot slot) {
        if (!slots.contains(slot)) {
            slots.add(slot);
        }
    }

    synchronized void remove(ClaimSlot slot) {
        slots.remove(slot);
    }

    /** The claim at an index of the ring if its thread has ended, else null. */
    synchronized @Nullable ClaimSlot abandonedAt(int index) {
        for (ClaimSlot slot : slots) {
            if (slot.abandonedAt(index)) {
                return slot;
            }
        }
        return null;
    }

    /** Whether a live thread has the claim at an index of the ring. */
    synchronized boolean heldAt(int index) {
        for (ClaimSlot slot : slots) {
            if (slot.heldAt(index)) {
                return true;
            }
        }
        return false;
    }
}
