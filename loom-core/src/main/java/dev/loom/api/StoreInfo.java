package dev.loom.api;

import java.util.Map;

/**
 * A description of a store: values by name, in display order. Names are stable; values are {@code Long}, {@code String}
 * or {@code Boolean}.
 */
public record StoreInfo(Map<String, Object> values) {}
