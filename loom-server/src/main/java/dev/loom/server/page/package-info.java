/** The web page that shows a store, as files that a browser reads. */
@NullMarked
package dev.loom.server.page;

import org.jspecify.annotations.NullMarked;
