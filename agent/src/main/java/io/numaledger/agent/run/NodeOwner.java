package io.numaledger.agent.run;

import io.numaledger.agent.api.ApiException;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.nrt.NodeTopology.Owner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** The Node object that owns what we publish, so that it goes when the node goes. Asked for once. */
public final class NodeOwner {

    private static final Logger log = LoggerFactory.getLogger(NodeOwner.class);

    private final ApiServer api;
    private final String node;
    private Optional<Owner> owner = Optional.empty();
    private boolean refused;

    public NodeOwner(ApiServer api, String node) {
        this.api = api;
        this.node = node;
    }

    /** Empty where we may not read the Node. */
    Optional<Owner> find() throws IOException {
        if (owner.isEmpty() && !refused) {
            try {
                String uid = api.get("/api/v1/nodes/" + node, UidReader::read);
                owner = Optional.of(Owner.node(node, uid));
            } catch (ApiException e) {
                if (e.status() != 403) {
                    throw e;
                }
                refused = true;
                log.warn(
                        "event=node.forbidden node={} reason='{}' effect='the NodeResourceTopology gets no owner reference'",
                        node,
                        e.getMessage());
            }
        }
        return owner;
    }

    /** Asks anew at the next look: the node may have been deleted and created again. */
    void forget() {
        owner = Optional.empty();
    }
}
