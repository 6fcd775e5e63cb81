/** Optional: without it the program runs on the class path just the same. */
module example {
    requires dev.loom.server;
    requires java.net.http;
}
