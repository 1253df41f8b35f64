package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.nrt.StoredTopology;
import io.numaledger.nrt.TopologyStore;

import java.io.IOException;
import java.util.Optional;

/** The NodeResourceTopology of one node, on the API server. */
public final class Topologies implements TopologyStore, AutoCloseable {

    private static final String PATH = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";
    /** Our name in managedFields. */
    public static final String FIELD_MANAGER = "numaledger-agent";

    private final ApiServer api;
    private final WatchedCollection<StoredTopology> collection;
    private final ResourceWatch<StoredTopology> watch;

    /** @param onChange called from the watch's thread when the object of this node changed */
    public Topologies(ApiServer api, String node, Runnable onChange) {
        this.api = api;
        this.collection = new WatchedCollection<>(onChange, topology -> false, (before, after) -> false);
        this.watch = new ResourceWatch<>(
                api,
                new ResourceWatch.Followed<>(PATH, "fieldSelector=metadata.name%3D" + node, Topologies::read),
                collection,
                onChange);
    }

    public void startWatching() {
        watch.start();
    }

    /** See {@link ResourceWatch#cutIfSilent()}. */
    public void keepAlive() {
        watch.cutIfSilent();
    }

    @Override
    public Optional<StoredTopology> stored(String node) throws IOException {
        if (collection.complete() && !watch.refused()) {
            return collection.get(node);
        }
        try {
            return Optional.of(api.get(PATH + "/" + node, Topologies::read).value());
        } catch (ApiException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public void apply(NodeTopology topology) throws IOException {
        String path = "%s/%s?fieldManager=%s&force=true".formatted(PATH, topology.node(), FIELD_MANAGER);
        String body = NodeTopologyJson.write(topology);
        collection.write(topology.node(), () -> api.patch(path, ApiServer.APPLY_PATCH, body, Topologies::read));
    }

    @Override
    public void dropTopologyPolicies(String node) throws IOException {
        String path = "%s/%s?fieldManager=%s".formatted(PATH, node, FIELD_MANAGER);
        collection.write(
                node, () -> api.patch(path, ApiServer.MERGE_PATCH, "{\"topologyPolicies\":null}", Topologies::read));
    }

    /** What stands there, version aside: a new version alone is no change. */
    private static Watched<StoredTopology> read(JsonParser json) throws IOException {
        StoredTopology stored = NodeTopologyJson.read(json);
        return new Watched<>(stored.topology().node(), stored.resourceVersion(), stored.withoutVersion());
    }

    @Override
    public void close() {
        watch.close();
    }
}
