package io.numaledger.ledger;

import io.numaledger.topology.Sorted;

import java.util.SortedMap;
import java.util.TreeMap;

/** The accounts of all nodes. Changed by one {@link Statement} at a time; not safe for several threads. */
public final class Ledger {

    private final SortedMap<String, NodeAccount> accounts = new TreeMap<>();
    private boolean inStatement;

    /**
     * Opens or replaces a node's account.
     *
     * @throws IllegalStateException while a statement is open: to take it back would undo this, too
     */
    public void open(String node, NodeAccount account) {
        requireNoStatement(node);
        accounts.put(node, account);
    }

    /** Forgets a node; see {@link #open}. */
    public void close(String node) {
        requireNoStatement(node);
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

    /**
     * Starts a list of tentative steps.
     *
     * @throws IllegalStateException while another one is open
     */
    public Statement statement() {
        if (inStatement) {
            throw new IllegalStateException("a ledger has one open statement: accounts=%d; commit or discard it first"
                    .formatted(accounts.size()));
        }
        inStatement = true;
        return new Statement(this);
    }

    void put(String node, NodeAccount account) {
        accounts.put(node, account);
    }

    void statementEnded() {
        inStatement = false;
    }

    private void requireNoStatement(String node) {
        if (inStatement) {
            throw new IllegalStateException(
                    "an account is not replaced within a statement: node=%s; commit or discard it first"
                            .formatted(node));
        }
    }
}
