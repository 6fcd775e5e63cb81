package example;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A program that does for some seconds what the agent can see, and knows nothing of it. */
public final class Busy {
    private Busy() {}

    public static void main(String[] args) throws IOException {
        Path file = Files.createTempFile("busy", ".data");
        long endNs = System.nanoTime() + Integer.parseInt(args[0]) * 1_000_000_000L;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = new Socket(listener.getInetAddress(), listener.getLocalPort());
                Socket server = listener.accept()) {
            byte[] bytes = new byte[10_000];
            while (System.nanoTime() < endNs) {
                client.getOutputStream().write(bytes, 0, 100);
                server.getInputStream().readNBytes(bytes, 0, 100);
                try (var output = new java.io.FileOutputStream(file.toFile());
                        var input = new java.io.FileInputStream(file.toFile())) {
                    output.write(bytes);
                    input.read(bytes);
                }
                byte[][] garbage = new byte[100][];
                for (int i = 0; i < garbage.length; i++) {
                    garbage[i] = new byte[10_000];
                }
                LockSupport.parkNanos(garbage, 2_000_000);
            }
            System.gc();
        } finally {
            Files.delete(file);
        }
    }
}
