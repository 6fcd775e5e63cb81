/** Requests from other processes: JSON objects that become requests to the query service, and answers of JSON lines. */
@NullMarked
package dev.loom.server.api;

import org.jspecify.annotations.NullMarked;
