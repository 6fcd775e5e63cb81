/** Requests to the query service made from texts, as options of commands and members of JSON objects hold them. */
@NullMarked
package dev.loom.server.request;

import org.jspecify.annotations.NullMarked;
