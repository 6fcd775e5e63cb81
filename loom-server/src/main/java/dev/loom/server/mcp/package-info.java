/** The Model Context Protocol over HTTP, without sessions: assistants list tools and call them. Each tool is a request of the query API. */
@NullMarked
package dev.loom.server.mcp;

import org.jspecify.annotations.NullMarked;
