package dev.loom.query.model;

/** A half-open range of addresses in the record log: {@code from <= address < to}. Addresses are in the order of arrival. */
public record AddressRange(long from, long to) {
    public static final AddressRange ALL = new AddressRange(0, Long.MAX_VALUE);

    /** Whether an address is in the range. */
    public boolean contains(long address) {
        return address >= from && address < to;
    }
}
