package io.numaledger.bridge.verdict;

import io.numaledger.counts.CountsForm;
import io.numaledger.counts.NodeCounts;
import io.numaledger.counts.ResourceIndex;
import io.numaledger.counts.ZoneTable;
import io.numaledger.kubelet.KubeletModel;

import java.util.Optional;

/** What nodes of equal hardware and configuration share. */
final class NodeKind {

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final Optional<CountsForm> form;
    private final Optional<NodeCounts> empty;

    NodeKind(KubeletModel kubelet, ResourceIndex index) {
        this.kubelet = kubelet;
        this.table = ZoneTable.of(kubelet);
        this.form = CountsForm.of(kubelet, table, index);
        this.empty = form.map(CountsForm::empty);
    }

    KubeletModel kubelet() {
        return kubelet;
    }

    ZoneTable table() {
        return table;
    }

    /** Absent where counts do not say all. */
    Optional<CountsForm> form() {
        return form;
    }

    /** The counts of the node without pods; absent where counts do not say all. */
    Optional<NodeCounts> empty() {
        return empty;
    }
}
