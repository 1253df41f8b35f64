package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClientBuilder.ExecutorSupplier;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The one thread of a client that reads the events of all its watches and calls their handlers, of each watch in turn. Handing each event to
 * another thread costs more than most handlers do. Handlers may not wait for one another.
 */
final class WatchThread extends Thread {

    private WatchThread(Runnable tasks) {
        super(tasks, "watch");
        setDaemon(true);
    }

    static ExecutorSupplier executor() {
        return new ExecutorSupplier() {
            @Override
            public Executor get() {
                return Executors.newSingleThreadExecutor(WatchThread::new);
            }

            @Override
            public void onClose(Executor executor) {
                ((ExecutorService) executor).shutdownNow();
            }
        };
    }

    static boolean isCurrent() {
        return Thread.currentThread() instanceof WatchThread;
    }
}
