package io.numaledger.apiservers.wait;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;

/** Port: the clock and the load of the machine on which somebody waits. */
interface Machine {

    /** This one. */
    Machine THIS = new Machine() {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public double load() {
            return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        }

        @Override
        public int cpus() {
            return Runtime.getRuntime().availableProcessors();
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
            Thread.sleep(time.toMillis());
        }
    };

    long nanoTime();

    /** The load average of the last minute; negative where it is unknown. */
    double load();

    int cpus();

    void pause(Duration time) throws InterruptedException;

    /** How many times longer work takes than on an idle machine, at least 1: runnable tasks per CPU. */
    default double slowness() {
        return Math.max(1, load() / cpus());
    }

    /** Such as {@code load=31.2 cpus=2}. */
    default String describe() {
        return String.format(Locale.ROOT, "load=%.1f cpus=%d", load(), cpus());
    }
}
