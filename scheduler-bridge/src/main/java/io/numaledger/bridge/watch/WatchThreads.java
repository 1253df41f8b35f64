package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClientBuilder.ExecutorSupplier;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The threads of a client's watches. A task that is added by a task runs after it on the same thread. While a watch has events, it so keeps
 * one thread, which reads each event and calls its handler: handing each of them to another thread costs more than most handlers do.
 * Watches do not wait for each other.
 */
final class WatchThreads implements Executor {

    private final ExecutorService threads = Executors.newCachedThreadPool(tasks -> {
        Thread thread = new Thread(tasks, "watch");
        thread.setDaemon(true);
        return thread;
    });

    /** What runs next on a thread; absent on threads of others. */
    @SuppressWarnings("ThreadLocalUsage") // one for each client: there are few, and their threads end with them
    private final ThreadLocal<Queue<Runnable>> following = new ThreadLocal<>();

    private WatchThreads() {}

    static ExecutorSupplier supplier() {
        return new ExecutorSupplier() {
            @Override
            public Executor get() {
                return new WatchThreads();
            }

            @Override
            public void onClose(Executor executor) {
                ((WatchThreads) executor).threads.shutdownNow();
            }
        };
    }

    @Override
    public void execute(Runnable task) {
        Queue<Runnable> next = following.get();
        if (next == null) {
            threads.execute(() -> runWithFollowing(task));
        } else {
            next.add(task);
        }
    }

    private void runWithFollowing(Runnable first) {
        Queue<Runnable> tasks = new ArrayDeque<>();
        following.set(tasks);
        tasks.add(first);
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        } finally {
            following.remove();
            tasks.forEach(this::execute); // of a task that has thrown
        }
    }
}
