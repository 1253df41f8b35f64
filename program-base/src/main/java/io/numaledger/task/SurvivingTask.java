package io.numaledger.task;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.function.Consumer;

/**
 * Work of which no failure ends the loop or the thread that runs it: what it throws is logged, with the stack, and counted. That holds for
 * errors, too, such as a StackOverflowError; an executor would end a periodic task silently. The JVM's own flags decide about memory that
 * is exhausted.
 *
 * @param name for logs and metrics
 * @param failures is told the name after each failure
 */
public record SurvivingTask(String name, Runnable task, Consumer<String> failures) implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(SurvivingTask.class);

    @Override
    public void run() {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            log.error("event=task.failed task={}", name, e);
            failures.accept(name);
        }
    }
}
