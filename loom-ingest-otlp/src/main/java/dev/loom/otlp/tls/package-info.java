/** Certificates, keys and tokens, of servers and of clients. For the servers and the command alone. */
@NullMarked
package dev.loom.otlp.tls;

import org.jspecify.annotations.NullMarked;
