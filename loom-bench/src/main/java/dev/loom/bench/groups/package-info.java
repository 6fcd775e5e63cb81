/**
 * Questions by groups beside other engines: requests of a simulated service, the stores and tables that hold them, and the questions
 * in the form that each takes. The workload is {@code dev.loom.bench.GroupsVersusPeers}. For one thread.
 */
@NullMarked
package dev.loom.bench.groups;

import org.jspecify.annotations.NullMarked;
