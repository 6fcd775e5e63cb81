/**
 * Runs requests, which are values, over a snapshot: {@link dev.loom.query.service.QueryService} streams typed results to a
 * {@link dev.loom.query.service.ResultHandler} and reports at the end what they lack and what they cost. Command lines and
 * servers make requests and print results; whoever needs more control uses the operators of {@code dev.loom.query} themselves.
 *
 * <p>A request is checked when it is made. Requests are immutable; a service may run many at a time, each on its caller's thread.
 */
@NullMarked
package dev.loom.query.service;

import org.jspecify.annotations.NullMarked;
