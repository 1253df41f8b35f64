package io.numaledger.benchmarks.fleet;

import io.numaledger.simulator.fleet.ArrivingPods;
import io.numaledger.simulator.fleet.FleetApi;
import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A fleet behind the generated API, which takes little CPU. */
final class GeneratedFleet implements ServedFleet {

    private final ArrivingPods pods;
    private final FleetApi api;
    private final Path kubeconfig;

    GeneratedFleet(List<FleetNode> nodes, int perNode, Path directory) throws IOException {
        this.pods = new ArrivingPods(nodes.stream().collect(Collectors.toMap(FleetNode::name, Function.identity())));
        this.api = new FleetApi(nodes, perNode, pods);
        pods.publishTo(api.podEvents());
        this.kubeconfig = api.writeKubeconfig(directory.resolve("kubeconfig"));
    }

    @Override
    public Path kubeconfig() {
        return kubeconfig;
    }

    @Override
    public void create(List<FleetPod> created) {
        pods.create(created);
    }

    @Override
    public int bound() {
        return pods.bound();
    }

    @Override
    public int refused() {
        return pods.refused();
    }

    @Override
    public int failedAttempts() {
        return pods.failedAttempts();
    }

    @Override
    public void topologyEvent(FleetNode node) {
        api.topologyEvent(node);
    }

    @Override
    public void podEvent(FleetNode node, boolean add) {
        FleetCommand.change(node, api, add);
    }

    @Override
    public OptionalLong serverCpuMillis() {
        return OptionalLong.empty();
    }

    @Override
    public void close() {
        api.close();
        pods.close();
    }
}
