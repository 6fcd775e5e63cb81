package dev.loom.format;

/** Takes the fields of one payload, in order. */
@FunctionalInterface
public interface FieldHandler {
    /**
     * Takes one field.
     *
     * @param name as declared; empty for the whole payload of a format that declares no fields
     * @param value valid during the call alone
     */
    void onField(String name, FieldValue value);
}
