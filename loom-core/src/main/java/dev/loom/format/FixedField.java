package dev.loom.format;

/**
 * The place of a field that has the same offset in every payload, for code that reads it too often for a {@link
 * FieldReader}. A payload that ends before the field has no value for it.
 *
 * @param type a type of fixed length
 * @param offset the value's offset in the payload
 * @param presenceOffset the payload offset of the byte that says whether there is a value; before the value
 * @param presenceMask the bit of that byte that is 1 if there is a value; 0 when there always is one
 */
public record FixedField(FieldType type, int offset, int presenceOffset, int presenceMask) {}
