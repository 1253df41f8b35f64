/**
 * The kubelet model: predicts whether a node's kubelet admits a pod, the reason and message of a refusal, and where every
 * allocated resource is.
 *
 * <p>{@link io.numaledger.kubelet.KubeletModel#start} takes a machine and a kubelet configuration, and refuses those with which
 * the kubelet does not start. A model never changes. The allocations of a node are a value,
 * {@link io.numaledger.kubelet.NodeState}, that is passed in and returned:
 *
 * <pre>{@code
 * KubeletModel model = KubeletModel.start(machine, config);
 * Decision decision = model.admit(model.empty(), pod);          // or model.holding(observed pods)
 * NodeState running = model.started(decision.state(), pod);     // its init containers have ended
 * NodeState later = model.ended(running, pod.name());           // the next admission removes its allocations
 * }</pre>
 *
 * <p>The algorithms are the kubelet's own, restated from its sources (pkg/kubelet/cm), mistakes included.
 */
@NullMarked
package io.numaledger.kubelet;

import org.jspecify.annotations.NullMarked;
