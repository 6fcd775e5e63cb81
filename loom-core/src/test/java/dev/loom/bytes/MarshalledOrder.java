package dev.loom.bytes;

import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesMarshallable;
import net.openhft.chronicle.bytes.BytesOut;

/** A payload of a stop-bit text and three numbers. */
final class MarshalledOrder implements BytesMarshallable {
    long id;
    double price;
    int quantity;
    StringBuilder symbol = new StringBuilder();

    MarshalledOrder set(long newId, double newPrice, int newQuantity, String newSymbol) {
        id = newId;
        price = newPrice;
        quantity = newQuantity;
        symbol = new StringBuilder(newSymbol);
        return this;
    }

    @Override
    public void writeMarshallable(BytesOut<?> out) {
        out.writeLong(id);
        out.writeDouble(price);
        out.writeInt(quantity);
        out.writeUtf8(symbol);
    }

    @Override
    public void readMarshallable(BytesIn<?> in) {
        id = in.readLong();
        price = in.readDouble();
        quantity = in.readInt();
        in.readUtf8(symbol);
    }

    @Override
    public String toString() {
        return id + " " + price + " " + quantity + " " + symbol;
    }
}
