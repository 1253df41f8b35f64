package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.KubeletConfig;

import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Groups nodes by type and by equivalence class, so that equal nodes share models and results. Thread-safe. */
public final class NodeClasses {

    private static final int MAX_TYPES = 10_000;
    private static final int MAX_CLASSES = 20_000;

    private record TypeKey(Machine machine, KubeletConfig config) {}

    private final ResourceIndex index;
    private final Map<TypeKey, KubeletModel> kubelets = new ConcurrentHashMap<>();
    private final Map<KubeletModel, NodeType> types = new ConcurrentHashMap<>();
    private final Map<NodeEquivalenceKey, WeakReference<NodeEquivalenceClass>> classes = new ConcurrentHashMap<>();

    /** @param index numbers for the names of resources */
    public NodeClasses(ResourceIndex index) {
        this.index = index;
    }

    /** The model with the kubelet model that all nodes of its type share. */
    public NodeModel shared(NodeModel model) {
        if (kubelets.size() > MAX_TYPES) {
            kubelets.clear();
            types.clear();
        }
        return model.kubelet()
                .map(kubelet -> new NodeModel(
                        Optional.of(kubelets.computeIfAbsent(
                                new TypeKey(kubelet.machine(), kubelet.rules().config()), any -> kubelet)),
                        model.unmodelled(),
                        model.assumptions()))
                .orElse(model);
    }

    /** The class of a node, the same object for equal nodes; absent where nothing is known of its zones. */
    public Optional<NodeEquivalenceClass> of(NodeSnapshot node) {
        if (node.now().isEmpty()) {
            return Optional.empty();
        }
        if (classes.size() > MAX_CLASSES) {
            classes.clear();
        }
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        NodeState state = kubelet.removeStaleState(node.now().get());
        NodeEquivalenceKey key = new NodeEquivalenceKey(kubelet, state);
        Optional<NodeEquivalenceClass> known = known(key);
        if (known.isPresent()) {
            return known;
        }
        NodeType type = types.computeIfAbsent(kubelet, any -> new NodeType(any, index));
        NodeEquivalenceClass made = new NodeEquivalenceClass(type, state);
        classes.put(key, new WeakReference<>(made));
        return Optional.of(made);
    }

    private Optional<NodeEquivalenceClass> known(NodeEquivalenceKey key) {
        return Optional.ofNullable(classes.get(key)).map(WeakReference::get);
    }
}
