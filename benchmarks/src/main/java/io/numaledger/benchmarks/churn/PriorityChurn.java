package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.workload.SimplePod;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Bursts of pods of two priorities for six nodes that have no room for all of them. A pod is deleted some bursts after it came, also while
 * it waits.
 *
 * @param nodes as YAML
 */
record PriorityChurn(long seed, String nodes, List<Burst> bursts) {

    /** The name of the PriorityClass above the default. */
    static final String HIGH = "high";

    private static final int HIGH_PERCENT = 30;

    PriorityChurn {
        bursts = List.copyOf(bursts);
    }

    /**
     * What happens at once.
     *
     * @param deleted names of pods that came before
     */
    record Burst(List<Pod> created, List<String> deleted) {}

    /** 4 to 20 pods a burst, of one or two containers with 1 to 12 CPUs and 64 to 2500 MiB; four in five are Guaranteed. */
    static PriorityChurn of(long seed, int pods) {
        Random random = new Random(seed);
        List<List<String>> deletions = new ArrayList<>();
        List<Burst> bursts = new ArrayList<>();
        int created = 0;
        while (created < pods) {
            int size = Math.min(pods - created, 4 + random.nextInt(17));
            List<Pod> burst = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                String name = "pod-%03d".formatted(created++);
                burst.add(pod(name, random));
                int end = bursts.size() + 1 + random.nextInt(6);
                while (deletions.size() <= end) {
                    deletions.add(new ArrayList<>());
                }
                deletions.get(end).add(name);
            }
            List<String> deleted =
                    bursts.size() < deletions.size() ? List.copyOf(deletions.get(bursts.size())) : List.of();
            bursts.add(new Burst(List.copyOf(burst), deleted));
        }
        return new PriorityChurn(seed, sixNodes(), bursts);
    }

    private static Pod pod(String name, Random random) {
        SimplePod pod = SimplePod.named(name).neverRestarted();
        boolean guaranteed = random.nextInt(100) < 80;
        int containers = 1 + random.nextInt(2);
        for (int i = 0; i < containers; i++) {
            String cpus = "cpu=" + (1 + random.nextInt(12));
            String memory = "memory=%dMi".formatted(64 + random.nextInt(2437));
            if (guaranteed) {
                pod.with("c" + i, cpus, memory);
            } else {
                pod.burstable("c" + i, cpus, memory);
            }
        }
        return random.nextInt(100) < HIGH_PERCENT ? pod.ofPriority(HIGH).build() : pod.build();
    }

    private static String sixNodes() {
        return "nodes:\n"
                + node("s1", "topologyManagerPolicy: single-numa-node")
                + node("s2", "topologyManagerPolicy: single-numa-node")
                + node("s3", "topologyManagerPolicy: single-numa-node")
                + node("pod", "topologyManagerPolicy: single-numa-node, topologyManagerScope: pod")
                + node("r", "topologyManagerPolicy: restricted")
                + node("b", "topologyManagerPolicy: best-effort");
    }

    private static String node(String name, String kubelet) {
        return """
                - name: %s
                  kubelet: {%s}
                  numaNodes:
                  - {id: 0, cores: 17, memory: 16Gi}
                  - {id: 1, cores: 16, memory: 16Gi}
                """.formatted(name, kubelet);
    }

    /** Whether a pod of this churn has the high priority. */
    static boolean isHigh(Pod pod) {
        return HIGH.equals(pod.getSpec().getPriorityClassName());
    }
}
