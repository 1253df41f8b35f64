package io.numaledger.bridge.watch;

import okhttp3.Dispatcher;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Makes HTTP clients whose requests run in the thread that calls: for threads that wait for each answer anyway, such as those that bind. Not
 * for watches, which would keep the thread.
 */
public final class CallingThreadClientFactory extends SendOnceClientFactory {

    @Override
    protected Dispatcher initDispatcher() {
        Dispatcher dispatcher = new Dispatcher(new CallingThread());
        dispatcher.setMaxRequests(Integer.MAX_VALUE);
        dispatcher.setMaxRequestsPerHost(Integer.MAX_VALUE);
        return dispatcher;
    }

    private static final class CallingThread extends AbstractExecutorService {

        private volatile boolean ended;

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {
            ended = true;
        }

        @Override
        public List<Runnable> shutdownNow() {
            shutdown();
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return ended;
        }

        @Override
        public boolean isTerminated() {
            return ended;
        }

        @Override
        public boolean awaitTermination(long time, TimeUnit unit) {
            return ended;
        }
    }
}
