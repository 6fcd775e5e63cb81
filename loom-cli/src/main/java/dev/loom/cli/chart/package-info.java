/** Histograms drawn with characters for a terminal. */
@NullMarked
package dev.loom.cli.chart;

import org.jspecify.annotations.NullMarked;
