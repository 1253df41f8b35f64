package io.numaledger.ledger;

import io.numaledger.placement.Placement;

import java.util.ArrayList;
import java.util.List;

/**
 * A list of tentative steps on a ledger. Every step shows at once; any end of the list can be taken back, and the ledger
 * then is, to the bit, what it was. All amounts are integers, so that taking back is exact in any order of steps.
 *
 * <pre>
 *   open ── charge, credit, checkpoint, rollback ──► open
 *   open ── commit  ──► closed, steps stay
 *   open ── discard ──► closed, as if nothing had been
 * </pre>
 */
public final class Statement {

    /** A place in a statement to come back to. */
    public static final class Checkpoint {

        private final Statement owner;
        private final int length;

        private Checkpoint(Statement owner, int length) {
            this.owner = owner;
            this.length = length;
        }
    }

    private final Ledger ledger;
    private final List<Step> steps = new ArrayList<>();
    private boolean open = true;

    Statement(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The pod takes its place on the node. An empty placement is one, too: the pod is there and holds nothing. */
    public void charge(String node, String pod, Placement placement) {
        requireOpen();
        ledger.charge(node, pod, placement);
        steps.add(new Step.Charge(node, pod, placement));
    }

    /** The pod gives up its place on the node. */
    public Placement credit(String node, String pod) {
        requireOpen();
        Placement held = ledger.credit(node, pod);
        steps.add(new Step.Credit(node, pod, held));
        return held;
    }

    public Checkpoint checkpoint() {
        requireOpen();
        return new Checkpoint(this, steps.size());
    }

    /** Takes back every step since the checkpoint, the last first. */
    public void rollback(Checkpoint checkpoint) {
        requireOpen();
        if (checkpoint.owner != this || checkpoint.length > steps.size()) {
            throw new IllegalArgumentException(
                    "a statement goes back to a checkpoint of its own that is not behind it: steps=%d checkpoint=%d; take a new one"
                            .formatted(steps.size(), checkpoint.length));
        }
        while (steps.size() > checkpoint.length) {
            takeBack(steps.remove(steps.size() - 1));
        }
    }

    private void takeBack(Step step) {
        if (step instanceof Step.Charge) {
            ledger.credit(step.node(), step.pod());
        } else {
            ledger.charge(step.node(), step.pod(), step.placement());
        }
    }

    /** Takes back everything and closes the statement. */
    public void discard() {
        rollback(new Checkpoint(this, 0));
        open = false;
    }

    /** Closes the statement; what it did stays. These are the steps that are left to be done outside. */
    public List<Step> commit() {
        requireOpen();
        open = false;
        return netSteps();
    }

    /**
     * The steps without those that cancel out: a pod that is evicted and put back on its node is left alone only if it
     * gets the same zones and amounts. If it gets others, or none, it has to be moved, and both steps stay.
     */
    public List<Step> netSteps() {
        List<Step> net = new ArrayList<>();
        for (Step step : steps) {
            int before = lastOfPod(net, step.pod());
            if (before >= 0 && net.get(before).cancels(step)) {
                net.remove(before);
            } else {
                net.add(step);
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
                    "a statement ends with commit or discard: steps=%d; start a new one".formatted(steps.size()));
        }
    }
}
