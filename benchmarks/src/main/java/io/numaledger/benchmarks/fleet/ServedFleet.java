package io.numaledger.benchmarks.fleet;

import io.numaledger.simulator.fleet.FleetNode;
import io.numaledger.simulator.fleet.FleetPod;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** A fleet behind an API server, and pods that a scheduler binds. */
interface ServedFleet extends AutoCloseable {

    Path kubeconfig();

    void create(List<FleetPod> pods);

    int bound();

    /** How many bound pods kubelets have refused. */
    int refused();

    /** How often kube-scheduler wrote that a pod cannot be scheduled. */
    int failedAttempts();

    /** The agent of a node writes its topology. */
    void topologyEvent(FleetNode node);

    /** A pod of another scheduler comes or goes. */
    void podEvent(FleetNode node, boolean add);

    /** CPU time of the API server; absent: it is a part of this process, and does not read what kube-scheduler writes by default. */
    OptionalLong serverCpuMillis();

    @Override
    void close();
}
