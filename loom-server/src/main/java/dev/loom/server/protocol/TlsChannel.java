package dev.loom.server.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * An encrypted connection over a blocking socket, for one thread, except for {@link #close}. An end without TLS's own
 * close counts as an end, since frames carry their lengths.
 */
public final class TlsChannel implements ByteChannel {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** A handshake's first bytes: type and major version of the record. */
    private static final int HANDSHAKE = 0x16;

    private static final int MAJOR = 3;

    private final SocketChannel socket;
    private final SSLEngine engine;
    /** From the peer, encrypted; ready to be filled. */
    private ByteBuffer received;
    /** The same, decrypted; ready to be taken. */
    private ByteBuffer plain;
    /** To the peer, encrypted. */
    private ByteBuffer sealed;

    public TlsChannel(SocketChannel socket, SSLEngine engine) {
        this.socket = socket;
        this.engine = engine;
        received = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        sealed = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize())
                .limit(0);
    }

    /** The connection beneath. */
    public SocketChannel socket() {
        return socket;
    }

    /**
     * Shakes hands as the server.
     *
     * @return false if the client does not speak TLS
     */
    public boolean accept() throws IOException {
        while (received.position() < 2) {
            if (socket.read(received) < 0) {
                throw new EOFException("connection ended before the TLS handshake");
            }
        }
        if (received.get(0) != HANDSHAKE || received.get(1) != MAJOR) {
            return false;
        }
        shakeHands();
        return true;
    }

    /** Shakes hands as the client. */
    public void connect() throws IOException {
        shakeHands();
    }

    private void shakeHands() throws IOException {
        try {
            engine.beginHandshake();
            settle();
        } catch (SSLException e) {
            alert();
            throw new IOException("TLS handshake failed: " + e.getMessage(), e);
        }
    }

    /** Does what the engine asks for until it needs nothing more. */
    private void settle() throws IOException {
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> {
                    if (engine.isOutboundDone()) {
                        throw new EOFException("connection was closed within the TLS handshake");
                    }
                    wrap(NOTHING);
                }
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    if (!unwrap()) {
                        throw new EOFException("connection ended within the TLS handshake");
                    }
                }
                default -> {
                    return;
                }
            }
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /** Tells the peer of a failure, as far as it listens. */
    private void alert() {
        try {
            while (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && !engine.isOutboundDone()) {
                wrap(NOTHING);
            }
        } catch (IOException e) {
            // the failure itself is what counts
        }
    }

    /** Decrypts one record; false at the end of the stream. */
    private boolean unwrap() throws IOException {
        while (true) {
            received.flip();
            plain.compact();
            SSLEngineResult result;
            try {
                result = engine.unwrap(received, plain);
            } finally {
                received.compact();
                plain.flip();
            }
            switch (result.getStatus()) {
                case OK -> {
                    return true;
                }
                case CLOSED -> {
                    return false;
                }
                case BUFFER_UNDERFLOW -> {
                    received = grown(received, engine.getSession().getPacketBufferSize());
                    if (socket.read(received) < 0) {
                        return false;
                    }
                }
                case BUFFER_OVERFLOW ->
                    plain = grown(
                                    plain.compact(),
                                    plain.limit() + engine.getSession().getApplicationBufferSize())
                            .flip();
            }
        }
    }

    /** A buffer to fill with the same bytes and room for that many. */
    private static ByteBuffer grown(ByteBuffer filling, int capacity) {
        return filling.capacity() >= capacity
                ? filling
                : ByteBuffer.allocate(capacity).put(filling.flip());
    }

    /** Encrypts what fits into one record, and sends it. */
    private void wrap(ByteBuffer from) throws IOException {
        sealed.clear();
        SSLEngineResult result = engine.wrap(from, sealed);
        sealed.flip();
        while (sealed.hasRemaining()) {
            socket.write(sealed);
        }
        switch (result.getStatus()) {
            case BUFFER_OVERFLOW -> sealed = ByteBuffer.allocate(2 * sealed.capacity());
            case CLOSED -> {
                if (from.hasRemaining()) {
                    throw new EOFException("the peer has closed the connection");
                }
            }
            default -> {
                // sent
            }
        }
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        while (!plain.hasRemaining()) {
            if (engine.isInboundDone() || !unwrap()) {
                return -1;
            }
            afterHandshake();
        }
        int length = Math.min(plain.remaining(), into.remaining());
        into.put(plain.slice(plain.position(), length));
        plain.position(plain.position() + length);
        return length;
    }

    /** Newer versions exchange keys again, older ones would renegotiate everything, which costs the server much. */
    private void afterHandshake() throws IOException {
        if (engine.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
            if (!engine.getSession().getProtocol().equals("TLSv1.3")) {
                throw new SSLException("renegotiation is refused");
            }
            settle();
        }
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int length = from.remaining();
        while (from.hasRemaining()) {
            wrap(from);
        }
        return length;
    }

    /** Tells the peer that nothing follows. */
    public void finish() throws IOException {
        engine.closeOutbound();
        while (!engine.isOutboundDone()) {
            wrap(NOTHING);
        }
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    /** Closes the connection at once, whatever it is doing. Usable from any thread. */
    @Override
    public void close() throws IOException {
        socket.close();
    }
}
