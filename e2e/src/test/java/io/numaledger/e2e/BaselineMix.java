package io.numaledger.e2e;

import java.util.Random;

/** Six nodes and 200 seeded pods: what the default scheduler and the bridge are measured with. */
final class BaselineMix {

    static final int PODS = 200;
    static final long SEED = 20260;

    static final String NODES = """
            nodes:
            - name: strict-1
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi}, {id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi}]
              devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}]
            - name: strict-2
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, threadsPerCore: 2, memory: 64Gi}, {id: 1, cores: 16, threadsPerCore: 2, memory: 64Gi}]
              devices: [{resource: nvidia.com/gpu, count: 4, numaNodes: [0]}, {resource: nvidia.com/gpu, count: 4, numaNodes: [1]}]
            - name: strict-pod
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            - name: four
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 16, memory: 32Gi}, {id: 1, cores: 16, memory: 32Gi}, {id: 2, cores: 16, memory: 32Gi}, {id: 3, cores: 16, memory: 32Gi}]
            - name: restricted
              kubelet: {topologyManagerPolicy: restricted}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            - name: old
              kubeletVersion: "1.33"
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 32, memory: 64Gi}, {id: 1, cores: 32, memory: 64Gi}]
            """;

    private final Random random = new Random(SEED);
    private int made;

    TestPod next() {
        TestPod pod = TestPod.named("pod-%03d".formatted(made++)).neverRestarted();
        String memory = "memory=" + (1 + random.nextInt(6)) + "Gi";
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> pod.burstable("main", "cpu=200m", "memory=256Mi");
            case 3, 4, 5 -> pod.with("main", "cpu=" + (1 + random.nextInt(3)), memory);
            case 6, 7 -> pod.with("main", "cpu=" + (8 + random.nextInt(10)), memory);
            case 8 -> pod.with("main", "cpu=2", memory).with("side", "cpu=1", "memory=512Mi");
            default -> pod.with("main", "cpu=2", memory, "nvidia.com/gpu=" + (1 + random.nextInt(3)));
        };
    }
}
