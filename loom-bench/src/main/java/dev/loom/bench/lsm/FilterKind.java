package dev.loom.bench.lsm;

/** Kinds of filters of files. */
public enum FilterKind {
    /** One Bloom filter, with as many indexes as equation 1 says. */
    STANDARD("standard"),
    /** ESTELLE's Log Bloom filter. */
    LOG("Log Bloom"),
    /** ElasticBF, own hash a unit. */
    ELASTIC_OWN("ElasticBF, own hash a unit"),
    /** ElasticBF, rotated digest. */
    ELASTIC_ROTATED("ElasticBF, rotated"),
    /** ElasticBF, double hashing. */
    ELASTIC_DOUBLE("ElasticBF, double hashing");

    private final String text;

    FilterKind(String text) {
        this.text = text;
    }

    /** As tables call it. */
    public String text() {
        return text;
    }

    SstFilter create(int keys, double bitsPerKey) {
        final int bits = (int) Math.round(keys * bitsPerKey);
        return switch (this) {
            case STANDARD -> new StandardFilter(bits, LookupCost.indexes(bitsPerKey));
            case LOG -> new LogFilter(bits);
            case ELASTIC_OWN -> new ElasticFilter(bits, ElasticFilter.Source.OWN);
            case ELASTIC_ROTATED -> new ElasticFilter(bits, ElasticFilter.Source.ROTATED);
            case ELASTIC_DOUBLE -> new ElasticFilter(bits, ElasticFilter.Source.DOUBLE);
        };
    }
}
