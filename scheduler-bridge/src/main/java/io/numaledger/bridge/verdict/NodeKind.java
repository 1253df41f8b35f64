package io.numaledger.bridge.verdict;

import io.numaledger.counts.CountsForm;
import io.numaledger.counts.NodeCounts;
import io.numaledger.counts.ResourceIndex;
import io.numaledger.counts.ZoneTable;
import io.numaledger.kubelet.KubeletModel;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** What nodes of equal hardware and configuration share. */
final class NodeKind {

    private static final int MAX_SHAPES = 1024;

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final Optional<CountsForm> form;
    private final Optional<NodeCounts> empty;
    private final Map<PodShape, Boolean> fitsEmpty = new ConcurrentHashMap<>();

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

    /** Whether a pod of this shape fits the node without pods; worked out once. */
    boolean fitsEmpty(PodShape shape, BooleanSupplier workedOut) {
        Boolean known = fitsEmpty.get(shape);
        if (known != null) {
            return known;
        }
        if (fitsEmpty.size() > MAX_SHAPES) {
            fitsEmpty.clear();
        }
        boolean fits = workedOut.getAsBoolean();
        fitsEmpty.put(shape, fits);
        return fits;
    }
}
