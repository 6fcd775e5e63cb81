/** What the APIs of the API port have in common: a request, its answer, and how it fails. */
@NullMarked
package dev.loom.server.http;

import org.jspecify.annotations.NullMarked;
