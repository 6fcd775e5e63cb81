package dev.loom.log;

import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;

/** Turns stored forms of pages back into pages. For one thread. */
public interface PageDecoder {
    /**
     * Decodes a page. Its number and its checksum show whether it is the right one.
     *
     * @param form not {@link PageForm#PLAIN}
     * @param stored the stored bytes, from position to limit, in a direct buffer
     * @param page where the page goes
     * @param offset where in {@code page} it begins
     * @return whether the bytes are such a form; otherwise anything may be in the page's place
     */
    boolean decode(PageForm form, ByteBuffer stored, MutableDirectBuffer page, int offset);
}
