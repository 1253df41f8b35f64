package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.numaledger.kubelet.Admission;

import java.util.List;
import java.util.stream.Stream;

/** The status that a kubelet writes to a pod: running at once, or refused. */
public final class PodLifecycle {

    /** Put before the message by rejectPod, kubelet.go. */
    private static final String REJECTED = "Pod was rejected: ";

    private PodLifecycle() {}

    static boolean isRunning(Pod pod) {
        return pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase());
    }

    /**
     * The status alone, to be merged into the pod.
     *
     * @param now as Kubernetes writes times, in RFC 3339
     */
    public static Pod withStatus(Pod pod, Admission admission, String now) {
        if (admission.isAdmitted()) {
            return running(pod, now);
        }
        return admission
                .refused()
                .map(refusal -> failed(
                        refusal.reason().toString(), refusal.message().orElse("several resources are short"), now))
                .orElseGet(() -> failed("UnexpectedAdmissionError", admission.toString(), now));
    }

    private static Pod failed(String reason, String message, String now) {
        return new PodBuilder()
                .withNewStatus()
                .withPhase("Failed")
                .withReason(reason)
                .withMessage(REJECTED + message)
                .withStartTime(now)
                .endStatus()
                .build();
    }

    private static Pod running(Pod pod, String now) {
        List<PodCondition> conditions = Stream.of("Initialized", "Ready", "ContainersReady", "PodScheduled")
                .map(type -> new PodConditionBuilder()
                        .withType(type)
                        .withStatus("True")
                        .withLastTransitionTime(now)
                        .build())
                .toList();
        return new PodBuilder()
                .withNewStatus()
                .withPhase("Running")
                .withStartTime(now)
                .withHostIP("127.0.0.1")
                .withPodIP("127.0.0.1")
                .withConditions(conditions)
                .withContainerStatuses(pod.getSpec().getContainers().stream()
                        .map(container -> started(container, now))
                        .toList())
                .endStatus()
                .build();
    }

    private static ContainerStatus started(Container container, String now) {
        return new ContainerStatusBuilder()
                .withName(container.getName())
                .withImage(container.getImage() == null ? "" : container.getImage())
                .withImageID("simulated")
                .withContainerID("simulated://" + container.getName())
                .withReady(true)
                .withStarted(true)
                .withRestartCount(0)
                .withNewState()
                .withNewRunning(now)
                .endState()
                .build();
    }
}
