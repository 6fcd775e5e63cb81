/**
 * Probe effect (paper, Figure 14): an application that tells what it does, and places where that goes: nowhere, another process over
 * TCP that stores it in one way or another, or Loom within the application. What is measured is the application.
 *
 * <p>Application and sink are processes of their own; the workload starts them and reads their results from their standard output.
 */
@NullMarked
package dev.loom.bench.probe;

import org.jspecify.annotations.NullMarked;
