/**
 * Predicts what a node's kubelet answers to a pod: verdict, reason, message, and the place of everything it gives.
 *
 * <p>{@link io.numaledger.kubelet.KubeletModel#start} takes a machine and a kubelet configuration and refuses what the
 * kubelet refuses at its start. The model itself never changes; what the node holds is a value,
 * {@link io.numaledger.kubelet.NodeState}, that goes in and comes out:
 *
 * <pre>{@code
 * KubeletModel model = KubeletModel.start(machine, config);
 * Decision decision = model.admit(model.empty(), pod);          // or model.holding(observed pods)
 * NodeState running = model.started(decision.state(), pod);     // init containers are done
 * NodeState later = model.remove(running, pod.name());          // gone; swept before the next admission
 * }</pre>
 *
 * <p>The algorithms are the kubelet's own, restated from its sources (pkg/kubelet/cm), with their mistakes.
 */
package io.numaledger.kubelet;
