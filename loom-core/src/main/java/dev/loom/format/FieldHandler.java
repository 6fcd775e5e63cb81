package dev.loom.format;

/** Receives the fields of one payload, in order. */
@FunctionalInterface
public interface FieldHandler {
    /**
     * Receives one field.
     *
     * @param name as declared; empty for the whole payload of a format that declares no fields
     * @param value valid only during the call
     */
    void onField(String name, FieldValue value);
}
