package io.numaledger.ledger;

import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.Sorted;

import java.util.SortedMap;
import java.util.TreeMap;

/** The accounts of all nodes. Changed by one {@link Statement} at a time; not safe for several threads. */
public final class Ledger {

    private final SortedMap<String, NodeAccount> accounts = new TreeMap<>();

    /** Opens or replaces a node's account. */
    public void open(String node, NodeAccount account) {
        accounts.put(node, account);
    }

    public void close(String node) {
        accounts.remove(node);
    }

    /**
     * The account of a node.
     *
     * @throws IllegalArgumentException naming the node, when there is none
     */
    public NodeAccount account(String node) {
        NodeAccount account = accounts.get(node);
        if (account == null) {
            throw new IllegalArgumentException(
                    "the ledger has no account of this node: node=%s; open it when the node is first seen"
                            .formatted(node));
        }
        return account;
    }

    /** All accounts at this instant, by node. */
    public SortedMap<String, NodeAccount> snapshot() {
        return Sorted.sorted(accounts);
    }

    /** Starts a list of tentative steps. */
    public Statement statement() {
        return new Statement(this);
    }

    void charge(String node, String pod, Placement placement) {
        NodeAccount account = account(node);
        if (account.holding(pod).isPresent()) {
            throw new IllegalArgumentException(
                    "a pod is charged once on a node: node=%s pod=%s; credit it first".formatted(node, pod));
        }
        placement.zones().keySet().stream()
                .filter(zone -> !account.available().containsKey(zone))
                .findFirst()
                .ifPresent(zone -> {
                    throw new IllegalArgumentException(
                            "a placement lies on zones of its node: node=%s pod=%s numaNode=%d; read the node's zones again"
                                    .formatted(node, pod, zone));
                });
        accounts.put(node, account.charge(pod, placement));
    }

    /** What the pod held. */
    Placement credit(String node, String pod) {
        NodeAccount account = account(node);
        Placement held = account.holding(pod)
                .orElseThrow(() -> new IllegalArgumentException(
                        "a pod that is credited was charged before: node=%s pod=%s; look on which node it is"
                                .formatted(node, pod)));
        accounts.put(node, account.credit(pod));
        return held;
    }

    /** What is free of one resource on one zone; below zero where more is held than was there. */
    public long available(String node, int numaNode, String resource) {
        return account(node).available().getOrDefault(numaNode, Amounts.NONE).get(resource);
    }
}
