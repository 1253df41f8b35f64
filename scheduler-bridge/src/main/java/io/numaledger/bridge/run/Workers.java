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

/** The threads of the bridge's own work. Requests are answered on others. A task that fails is repeated all the same. */
final class Workers implements AutoCloseable {

    /** Each has one thread; they are closed in this order. */
    enum Worker {
        WRITER,
        BUILDER,
        EVICTOR,
        PLANNER,
        COUNTER
    }

    private final Map<Worker, ScheduledExecutorService> executors = new EnumMap<>(Worker.class);
    private final Consumer<String> runs;
    private final Consumer<String> failures;

    /**
     * @param runs is told the name of a task that has run, also if it has failed
     * @param failures is told the name of a task that has failed
     */
    Workers(Consumer<String> runs, Consumer<String> failures) {
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

    /** Runs a write to the API server after those before it. */
    void write(Runnable write) {
        executor(Worker.WRITER).execute(new SurvivingTask("write", write, failures));
    }

    /**
     * Repeats a task until this is closed.
     *
     * @param pause before the first run, and between the end of one and the beginning of the next
     * @param name for logs and metrics
     */
    void every(Duration pause, Worker worker, String name, Runnable task) {
        var unused = executor(worker)
                .scheduleWithFixedDelay(
                        () -> run(new SurvivingTask(name, task, failures)),
                        pause.toMillis(),
                        pause.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    private void run(SurvivingTask task) {
        task.run();
        runs.accept(task.name());
    }

    @Override
    public void close() {
        executors.values().forEach(ScheduledExecutorService::shutdownNow);
    }
}
