package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClientBuilder.ExecutorSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(value = 25, unit = TimeUnit.SECONDS)
class WatchThreadsTest {

    private final ExecutorSupplier supplier = WatchThreads.supplier();
    private final Executor threads = supplier.get();

    @AfterEach
    void close() {
        supplier.onClose(threads);
    }

    @Test
    void runsWhatATaskAddsAfterItOnTheSameThread() {
        List<String> order = new ArrayList<>();
        CompletableFuture<Thread> first = new CompletableFuture<>();
        CompletableFuture<Thread> last = new CompletableFuture<>();

        threads.execute(() -> {
            threads.execute(() -> {
                order.add("second");
                threads.execute(() -> last.complete(Thread.currentThread()));
            });
            order.add("first");
            first.complete(Thread.currentThread());
        });

        assertThat(last.join()).isEqualTo(first.join());
        assertThat(order).containsExactly("first", "second");
    }

    @Test
    void runsTasksOfOthersMeanwhile() {
        CompletableFuture<Void> waits = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();

        threads.execute(() -> {
            waits.join();
            ended.complete(null);
        });
        threads.execute(() -> waits.complete(null));

        ended.join();
        assertThat(ended).isCompleted();
    }

    @Test
    void runsWhatATaskHasAddedBeforeItFailed() {
        CompletableFuture<Void> ran = new CompletableFuture<>();

        threads.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
            threads.execute(() -> ran.complete(null));
            throw new IllegalStateException("a task that fails");
        });

        ran.join();
        assertThat(ran).isCompleted();
    }

    @Test
    void takesNoTaskAfterItsClientIsClosed() {
        supplier.onClose(threads);

        assertThatThrownBy(() -> threads.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
    }
}
