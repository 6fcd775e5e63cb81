package dev.loom.format;

/**
 * Where a field is that lies at the same offset in every payload, for whoever reads it more often than a {@link
 * FieldReader} is made for. A payload that ends before the field has no value for it.
 *
 * @param type one of fixed length
 * @param offset of the value in the payload
 * @param presenceOffset offset in the payload of the byte that tells whether there is a value; before the value
 * @param presenceMask the bit of that byte that is 1 if there is; 0 when there always is
 */
public record FixedField(FieldType type, int offset, int presenceOffset, int presenceMask) {}
