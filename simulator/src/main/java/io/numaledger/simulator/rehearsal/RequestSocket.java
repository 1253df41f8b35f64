package io.numaledger.simulator.rehearsal;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.SimClusterException;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * By which commands reach the process of a cluster: a unix socket in the cluster's directory. A connection carries one request, a list
 * of words, and one answer: whether the request was carried out, and a text.
 */
public final class RequestSocket implements AutoCloseable {

    private static final String NAME = "requests.sock";

    private final ServerSocketChannel server;

    private RequestSocket(ServerSocketChannel server) {
        this.server = server;
    }

    /** Carries out requests, one at a time. */
    public static RequestSocket serve(Path directory, Function<List<String>, String> requests) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(directory.resolve(NAME)));
        Thread thread = new Thread(() -> serve(server, requests), "requests");
        thread.setDaemon(true);
        thread.start();
        return new RequestSocket(server);
    }

    private static void serve(ServerSocketChannel server, Function<List<String>, String> requests) {
        while (true) {
            try (SocketChannel connection = server.accept()) {
                answer(connection, requests);
            } catch (ClosedChannelException end) {
                return;
            } catch (IOException gone) {
                System.out.println("a command did not wait for its answer: " + gone.getMessage());
            }
        }
    }

    private static void answer(SocketChannel connection, Function<List<String>, String> requests) throws IOException {
        DataInputStream in = new DataInputStream(Channels.newInputStream(connection));
        DataOutputStream out = new DataOutputStream(Channels.newOutputStream(connection));
        List<String> words = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            words.add(in.readUTF());
        }
        boolean done = false;
        String text;
        try {
            text = requests.apply(words);
            done = true;
        } catch (IllegalArgumentException | SimClusterException | NotInTimeException | UncheckedIOException e) {
            text = String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            e.printStackTrace();
            text = "the cluster's process failed: request=%s error=%s; read its log".formatted(words, e);
        }
        out.writeBoolean(done);
        out.writeUTF(text);
    }

    /**
     * Has the cluster's process carry out a request. Returns its text.
     *
     * @throws SimClusterException when no cluster runs there, or with the reason why the request was not carried out
     */
    static String ask(Path directory, List<String> words) throws IOException {
        ClusterDirectory.requireRunning(directory);
        boolean done;
        String text;
        try (SocketChannel connection = SocketChannel.open(UnixDomainSocketAddress.of(directory.resolve(NAME)))) {
            DataOutputStream out = new DataOutputStream(Channels.newOutputStream(connection));
            out.writeInt(words.size());
            for (String word : words) {
                out.writeUTF(word);
            }
            DataInputStream in = new DataInputStream(Channels.newInputStream(connection));
            done = in.readBoolean();
            text = in.readUTF();
        } catch (IOException cause) {
            throw new IOException(
                    "the cluster does not answer: dir=%s: %s; it may be ending: see sim status"
                            .formatted(directory, cause.getMessage()),
                    cause);
        }
        if (!done) {
            throw new SimClusterException(text);
        }
        return text;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException cause) {
            throw new UncheckedIOException("a listening socket cannot fail to be closed", cause);
        }
    }
}
