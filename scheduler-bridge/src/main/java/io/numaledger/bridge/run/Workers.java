package io.numaledger.bridge.run;

import io.numaledger.task.SurvivingTask;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The threads of the bridge's periodic tasks. Requests are answered on others, and events and requests for retries written on others. A task
 * that fails is repeated all the same.
 */
final class Workers implements AutoCloseable {

    /**
     * Each worker has one thread, with tasks that may wait for one another: the first ones never wait for the API server, and each of the last ones
     * waits for it alone, so that a call without an answer stops only what needs it. The threads are closed in this order.
     */
    enum Worker {
        /** Ends what lasts for a time: reservations, nominations, lost places. Evaluates nothing. */
        CLOCK,

        /** Ends and retries the plans of gangs. Waits for the lock of a gang while its plan is made. */
        GANGS,

        /** Evaluates pending pods, which may take a processor for some time. */
        QUEUE,

        /** Goes through all nodes and pods, for metrics and warnings. */
        REPORTER,

        /** Builds snapshots of nodes before a call needs them. */
        BUILDER,

        /** Counts stranded capacity, which may take half a second of a processor. */
        COUNTER,

        /** Plans gated groups, and releases their pods. */
        PLANNER,

        /** Evicts for pods that wait. */
        EVICTOR,

        /** Evicts pods that missed what they demand. */
        HEALER,

        /** Gives back claims. */
        CLAIMS,

        /** Looks up binds without an answer. */
        BINDS,

        /** Reads what changes rarely: certificates, the kinds that are defined. */
        READER
    }

    private final Map<Worker, ScheduledExecutorService> executors = new EnumMap<>(Worker.class);
    private final Function<String, Runnable> runs;
    private final Consumer<String> failures;

    /**
     * @param runs returns for the name of a task what is called when it has run, also if it has failed
     * @param failures is told the name of a task that has failed
     */
    Workers(Function<String, Runnable> runs, Consumer<String> failures) {
        this.runs = runs;
        this.failures = failures;
        for (Worker worker : Worker.values()) {
            String name = "bridge-" + worker.name().toLowerCase(Locale.ROOT);
            executors.put(worker, Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                return thread;
            }));
        }
    }

    private ScheduledExecutorService executor(Worker worker) {
        return Objects.requireNonNull(executors.get(worker));
    }

    /**
     * Repeats a task until this is closed.
     *
     * @param pause before the first run, and between the end of one and the beginning of the next
     * @param name for logs and metrics
     */
    void every(Duration pause, Worker worker, String name, Runnable task) {
        Runnable ran = runs.apply(name);
        var unused = executor(worker)
                .scheduleWithFixedDelay(
                        () -> {
                            new SurvivingTask(name, task, failures).run();
                            ran.run();
                        },
                        pause.toMillis(),
                        pause.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        executors.values().forEach(ScheduledExecutorService::shutdownNow);
    }
}
