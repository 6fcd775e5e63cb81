package dev.loom.filter;

/** The structures of a unit but its lists, in the order in which a file has them. Each is a row of pieces of one length. */
enum UnitPart {
    FREQUENT_FIELDS,
    FREQUENT_COUNTS,
    RARE_FIELDS,
    PREFIX_FIELDS;

    /** The bytes of a piece. */
    int pieceLength(UnitShape shape) {
        return switch (this) {
            case FREQUENT_FIELDS, RARE_FIELDS, PREFIX_FIELDS -> TokenField.LENGTH;
            case FREQUENT_COUNTS -> Short.BYTES;
        };
    }

    /** The pieces of a unit. */
    int pieces(UnitShape shape) {
        return switch (this) {
            case FREQUENT_FIELDS -> TokenFilter.length(shape.frequentBits()) / TokenField.LENGTH;
            case FREQUENT_COUNTS -> shape.counts();
            case RARE_FIELDS -> TokenFilter.length(shape.rareBits()) / TokenField.LENGTH;
            case PREFIX_FIELDS ->
                shape.prefixBits() == 0 ? 0 : TokenFilter.length(shape.prefixBits()) / TokenField.LENGTH;
        };
    }

    /** The bytes of a unit. */
    long length(UnitShape shape) {
        return (long) pieces(shape) * pieceLength(shape);
    }
}
