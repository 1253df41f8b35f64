package io.numaledger.agent.api;

import io.numaledger.nrt.NodeTopology.Owner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Optional;

/** The owner of the published object, which is deleted with its owner. Read once, and again after {@link #forget}. */
public final class NodeOwner {

    private static final Logger log = LoggerFactory.getLogger(NodeOwner.class);

    private final ApiServer api;
    private final String path;
    private final Named named;
    private volatile Optional<Owner> owner = Optional.empty();
    private boolean refused;

    /** Names the owner by its UID. */
    @FunctionalInterface
    private interface Named {
        Owner owner(String uid);
    }

    private NodeOwner(ApiServer api, String path, Named named) {
        this.api = api;
        this.path = path;
        this.named = named;
    }

    public static NodeOwner node(ApiServer api, String node) {
        return new NodeOwner(api, "/api/v1/nodes/" + node, uid -> Owner.node(node, uid));
    }

    public static NodeOwner namespace(ApiServer api, String namespace) {
        return new NodeOwner(api, "/api/v1/namespaces/" + namespace, uid -> Owner.namespace(namespace, uid));
    }

    /** The owner; empty without the right to read it. */
    public Optional<Owner> find() throws IOException {
        Optional<Owner> found = owner;
        if (found.isEmpty() && !refused) {
            try {
                found = Optional.of(named.owner(api.get(path, UidReader::read)));
                owner = found;
            } catch (ApiException e) {
                if (e.status() != 403) {
                    throw e;
                }
                refused = true;
                log.warn(
                        "event=owner.forbidden path={} reason='{}' effect='the NodeResourceTopology gets no owner reference'",
                        path,
                        e.getMessage());
            }
        }
        return found;
    }

    /** Reads the owner again next time: it may have been deleted and created again. May be called from any thread. */
    public void forget() {
        owner = Optional.empty();
    }
}
