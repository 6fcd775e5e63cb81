package dev.loom.log;

import org.jspecify.annotations.Nullable;

/** How a compressed segment stores a page. */
public enum PageForm {
    /** As it is. */
    PLAIN(0),
    /** The page as one LZ4 block. */
    LZ4(1),
    /** The page's records by columns, as one LZ4 block. */
    COLUMNS(2);

    private final int code;

    PageForm(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /** The form with a code, or null if there is none. */
    static @Nullable PageForm of(int code) {
        for (PageForm form : values()) {
            if (form.code == code) {
                return form;
            }
        }
        return null;
    }
}
