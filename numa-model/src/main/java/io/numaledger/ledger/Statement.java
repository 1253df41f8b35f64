package io.numaledger.ledger;

import io.numaledger.kubelet.Admission;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;

import java.util.ArrayList;
import java.util.List;

/**
 * A list of tentative steps on the machine states of a ledger. Every step shows at once; any end of the list can be taken back, and the
 * ledger then is, to the bit, what it was: the same CPU ids, memory blocks and devices in the same hands.
 *
 * <pre>
 *   open ── charge, credit, checkpoint, rollback ──► open
 *   open ── commit  ──► closed, steps stay
 *   open ── discard, close ──► closed, as if nothing had been
 * </pre>
 */
public final class Statement implements AutoCloseable {

    /** A place in a statement to come back to. */
    public static final class Checkpoint {

        private final Statement owner;
        private final int length;

        private Checkpoint(Statement owner, int length) {
            this.owner = owner;
            this.length = length;
        }
    }

    private record Done(Step step, NodeAccount before) {}

    private final Ledger ledger;
    private final List<Done> done = new ArrayList<>();
    private boolean open = true;

    Statement(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * The pod takes the place on the node that its kubelet would give it, with its plain init containers ended. Nothing changes where
     * it would not be admitted.
     */
    public Admission charge(String node, PodRequest pod) {
        NodeAccount before = before(node, pod.name());
        NodeAccount.Admitted admitted = before.admit(pod);
        if (admitted.admission().isAdmitted()) {
            charged(node, pod.name(), before, admitted.after());
        }
        return admitted.admission();
    }

    /**
     * The pod takes a known place on the node. An empty one is one, too: the pod is there and holds nothing.
     *
     * @throws IllegalArgumentException naming what does not exist on this machine or is held by another
     */
    public void charge(String node, PodAllocation pod) {
        NodeAccount before = before(node, pod.key());
        charged(node, pod.key(), before, before.with(pod));
    }

    /** The account, of which the pod holds nothing yet. */
    private NodeAccount before(String node, String pod) {
        requireOpen();
        NodeAccount account = ledger.account(node);
        if (account.holding(pod).isPresent()) {
            throw new IllegalArgumentException(
                    "a pod is charged once on a node: node=%s pod=%s; credit it first".formatted(node, pod));
        }
        return account;
    }

    private void charged(String node, String pod, NodeAccount before, NodeAccount after) {
        ledger.put(node, after);
        done.add(new Done(new Step.Charge(node, pod, after.holding(pod).orElseThrow()), before));
    }

    /** The pod gives up its place on the node; returns what it held. */
    public Placement credit(String node, String pod) {
        requireOpen();
        NodeAccount before = ledger.account(node);
        Placement held = before.holding(pod)
                .orElseThrow(() -> new IllegalArgumentException(
                        "a pod that is credited was charged before: node=%s pod=%s; look on which node it is"
                                .formatted(node, pod)));
        ledger.put(node, before.without(pod));
        done.add(new Done(new Step.Credit(node, pod, held), before));
        return held;
    }

    public Checkpoint checkpoint() {
        requireOpen();
        return new Checkpoint(this, done.size());
    }

    /** Takes back every step since the checkpoint, the last first. */
    public void rollback(Checkpoint checkpoint) {
        requireOpen();
        if (checkpoint.owner != this || checkpoint.length > done.size()) {
            throw new IllegalArgumentException(
                    "a statement goes back to a checkpoint of its own that is not behind it: steps=%d checkpoint=%d; take a new one"
                            .formatted(done.size(), checkpoint.length));
        }
        while (done.size() > checkpoint.length) {
            Done last = done.remove(done.size() - 1);
            ledger.put(last.step().node(), last.before());
        }
    }

    /** Takes back everything and closes the statement. */
    public void discard() {
        rollback(new Checkpoint(this, 0));
        end();
    }

    /** Closes the statement; what it did stays. These are the steps that are left to be done outside. */
    public List<Step> commit() {
        requireOpen();
        end();
        return netSteps();
    }

    /** Discards what was not committed. */
    @Override
    public void close() {
        if (open) {
            discard();
        }
    }

    private void end() {
        open = false;
        ledger.statementEnded();
    }

    /**
     * The steps without those that cancel out: a pod that is evicted and put back on its node is left alone only if it
     * gets the same zones and amounts. If it gets others, or none, it has to be moved, and both steps stay. The ids of
     * its CPUs may then differ from the ledger's until it is observed again.
     */
    public List<Step> netSteps() {
        List<Step> net = new ArrayList<>();
        for (Done each : done) {
            int before = lastOfPod(net, each.step().pod());
            if (before >= 0 && net.get(before).cancels(each.step())) {
                net.remove(before);
            } else {
                net.add(each.step());
            }
        }
        return List.copyOf(net);
    }

    private static int lastOfPod(List<Step> steps, String pod) {
        for (int i = steps.size() - 1; i >= 0; i--) {
            if (steps.get(i).pod().equals(pod)) {
                return i;
            }
        }
        return -1;
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException(
                    "a statement ends with commit or discard: steps=%d; start a new one".formatted(done.size()));
        }
    }
}
