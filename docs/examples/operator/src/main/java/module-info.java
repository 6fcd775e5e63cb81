/** Optional: without it the sample runs on the class path just the same. */
module example {
    requires dev.loom.core;
}
