package io.numaledger.evaluation.fit;

import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.FastPathModel;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.pod.PodRequest;

import java.util.Optional;

/** What nodes with equal hardware and equal kubelet configuration have in common. */
final class NodeType {

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final ResourceIndex index;
    private final Optional<FastPath> fastPath;

    /** @param empty the counts of a node of this type without pods */
    record FastPath(FastPathModel model, NodeCounts empty) {}

    NodeType(KubeletModel kubelet, ResourceIndex index) {
        this.kubelet = kubelet;
        this.index = index;
        this.table = ZoneTable.of(kubelet);
        this.fastPath = FastPathModel.of(kubelet, table, index).map(model -> new FastPath(model, model.empty()));
    }

    KubeletModel kubelet() {
        return kubelet;
    }

    ZoneTable table() {
        return table;
    }

    /** The pod as the fast path evaluates it. */
    CompiledPod compiled(PodRequest pod) {
        return CompiledPod.of(pod, index);
    }

    /** The fast path of the type; absent where counts never decide. */
    Optional<FastPath> fastPath() {
        return fastPath;
    }
}
