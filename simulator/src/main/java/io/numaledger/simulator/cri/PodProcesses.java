package io.numaledger.simulator.cri;

import io.numaledger.simulator.cri.v1.ContainerConfig;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.IntConsumer;

/** Port: what runs of the sandboxes and containers of one node. */
public interface PodProcesses extends AutoCloseable {

    /** Nothing runs; each sandbox has an address that nobody can reach, because the kubelet wants one. */
    PodProcesses NONE = new PodProcesses() {

        @Override
        public String startSandbox(String id) {
            int bits = Integer.parseUnsignedInt(id.substring(0, 6), 16);
            return "10.%d.%d.%d".formatted(bits >> 16 & 0xff, bits >> 8 & 0xff, bits & 0xff);
        }

        @Override
        public void stopSandbox(String id) {}

        @Override
        public boolean runs(String image) {
            return false;
        }

        @Override
        public void start(String id, String sandbox, ContainerConfig config, Path log, IntConsumer exited) {
            throw new IllegalArgumentException("no image runs: image=%s; call runs() before"
                    .formatted(config.getImage().getUserSpecifiedImage()));
        }

        @Override
        public OptionalInt stop(String id, Duration grace) {
            return OptionalInt.empty();
        }

        @Override
        public void close() {}
    };

    /** Makes the network of a sandbox. Returns its address. */
    String startSandbox(String id);

    /** Kills what runs in the sandbox, and gives its address back. */
    void stopSandbox(String id);

    /** Whether containers of this image run. Other containers are records only. */
    boolean runs(String image);

    /**
     * Starts a container.
     *
     * @param log gets its output in the format that the kubelet reads
     * @param exited gets its exit code when it has ended
     */
    void start(String id, String sandbox, ContainerConfig config, Path log, IntConsumer exited);

    /**
     * Asks a container to end, and kills it after the grace period.
     *
     * @return the exit code when it has ended; empty: nothing runs
     */
    OptionalInt stop(String id, Duration grace);

    /** Kills everything. */
    @Override
    void close();
}
