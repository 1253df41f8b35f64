package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.NumaNode;

import java.util.List;

/** Devices on NUMA nodes that the machine lacks, such as -1. The kubelet has no hint for them, so that it may refuse their pods. */
final class ImpossibleDevices {

    private ImpossibleDevices() {}

    /** The refusal, with these devices named if the request was for them. */
    static Refused named(KubeletModel kubelet, Refused refused) {
        return refused.reason() == RefusalReason.TOPOLOGY_AFFINITY_ERROR
                ? RefusalMessages.decisive(refused.resources()).stream()
                        .filter(ResourceFit::isShort)
                        .filter(fit -> count(kubelet, fit) > 0)
                        .findFirst()
                        .map(fit -> named(refused, text(kubelet, fit)))
                        .orElse(refused)
                : refused;
    }

    private static Refused named(Refused refused, String text) {
        return new Refused(
                refused.reason(),
                refused.summary() + text,
                refused.message().plus(Sentence.of(text)),
                refused.resources(),
                refused.unresolvable());
    }

    private static String text(KubeletModel kubelet, ResourceFit fit) {
        return "; the device plugin reports %d %s on NUMA nodes that the machine lacks"
                .formatted(count(kubelet, fit), fit.resource());
    }

    private static long count(KubeletModel kubelet, ResourceFit fit) {
        AffinityMask machine = AffinityMask.of(kubelet.machine().topology().numaNodes().stream()
                .map(NumaNode::id)
                .filter(id -> id <= AffinityMask.MAX_ID)
                .toList());
        return kubelet.machine().devices().getOrDefault(fit.resource(), List.of()).stream()
                .filter(device -> device.healthy() && !device.numaNodes().isEmpty())
                .filter(device -> device.numaNodes().and(machine).isEmpty())
                .count();
    }
}
