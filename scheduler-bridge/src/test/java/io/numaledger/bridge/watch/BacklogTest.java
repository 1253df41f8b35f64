package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 25, unit = TimeUnit.SECONDS)
class BacklogTest {

    private final Backlog backlog = new Backlog();

    @Test
    void makesReadersWaitUntilHalfIsHandled() throws InterruptedException {
        Thread reader = waitingReader();

        for (int i = 1; i < Backlog.MOST / 2; i++) {
            backlog.handled();
        }
        assertThat(reader.getState()).isEqualTo(Thread.State.TIMED_WAITING);

        backlog.handled();
        reader.join();
        assertThat(reader.isAlive()).isFalse();
    }

    @Test
    void letsReadersGoWhenItIsClosed() throws InterruptedException {
        Thread reader = waitingReader();

        backlog.close();

        reader.join();
        for (int i = 0; i < 2 * Backlog.MOST; i++) {
            backlog.read();
        }
        assertThat(reader.isAlive()).isFalse();
    }

    /** Fills the backlog. */
    private Thread waitingReader() {
        Thread reader = new Thread(() -> {
            for (int i = 0; i <= Backlog.MOST; i++) {
                backlog.read();
            }
        });
        reader.setDaemon(true);
        reader.start();
        while (reader.getState() != Thread.State.TIMED_WAITING) {
            assertThat(Thread.interrupted()).as("timed out").isFalse();
        }
        return reader;
    }

    @Test
    void getsEachNewObjectOnce() {
        AtomicInteger added = new AtomicInteger();
        KeyOnlyStore<Node> store = new KeyOnlyStore<>(Node::new, added::incrementAndGet);
        Node node = new NodeBuilder()
                .withNewMetadata()
                .withName("n")
                .withUid("1")
                .endMetadata()
                .build();

        store.put("n", node);
        store.put("n", node);
        assertThat(added).hasValue(1);

        store.remove("n");
        store.put("n", node);
        assertThat(added).hasValue(2);
    }
}
