package io.numaledger.counts;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Many nodes, of which those in equal state share one evaluation. A node is a slot number, from {@link #add}; its state is
 * replaced when it changes. One thread at a time.
 */
public final class Fleet {

    private final CountsEvaluator evaluator = new CountsEvaluator();
    private final Map<NodeCounts, Integer> classOf = new HashMap<>();
    private final List<NodeCounts> classes = new ArrayList<>();
    private final Deque<Integer> vacant = new ArrayDeque<>();
    private int[] members = new int[0];
    private int[] classOfSlot = new int[0];
    private long[] verdicts = new long[0];
    private int[] scores = new int[0];
    private int slots;

    /** One more node; the answer is its slot. */
    public int add(NodeCounts state) {
        if (slots == classOfSlot.length) {
            classOfSlot = Arrays.copyOf(classOfSlot, Math.max(16, 2 * slots));
        }
        classOfSlot[slots] = enter(state);
        return slots++;
    }

    /** The node in a slot is in another state now. */
    public void set(int slot, NodeCounts state) {
        int old = classOfSlot[slot];
        classOfSlot[slot] = enter(state);
        members[old]--;
        if (members[old] == 0) {
            classOf.remove(classes.get(old));
            vacant.push(old);
        }
    }

    private int enter(NodeCounts state) {
        Integer known = classOf.get(state);
        int number = known != null ? known : open(state);
        members[number]++;
        return number;
    }

    /** Takes the place of a class that has lost its last node, if there is one. */
    private int open(NodeCounts state) {
        Integer vacated = vacant.poll();
        int number = vacated != null ? vacated : classes.size();
        if (vacated != null) {
            classes.set(number, state);
        } else {
            classes.add(state);
            ensureRoom(number);
        }
        classOf.put(state, number);
        return number;
    }

    private void ensureRoom(int number) {
        if (number == members.length) {
            int size = Math.max(16, 2 * number);
            members = Arrays.copyOf(members, size);
            verdicts = Arrays.copyOf(verdicts, size);
            scores = Arrays.copyOf(scores, size);
        }
    }

    public int size() {
        return slots;
    }

    /** How many different states there are. */
    public int states() {
        return classOf.size();
    }

    public NodeCounts state(int slot) {
        return classes.get(classOfSlot[slot]);
    }

    /** Writes the verdict of every node, as {@link CountsEvaluator#verdict}, by slot. */
    public void verdicts(PodAsk ask, long[] into) {
        for (int number = 0; number < classes.size(); number++) {
            if (members[number] > 0) {
                verdicts[number] = evaluator.verdict(classes.get(number), ask);
            }
        }
        for (int slot = 0; slot < slots; slot++) {
            into[slot] = verdicts[classOfSlot[slot]];
        }
    }

    /** Writes verdicts and scores, as {@link CountsEvaluator#score}, by slot. */
    public void scores(PodAsk ask, long[] verdictsInto, int[] scoresInto) {
        for (int number = 0; number < classes.size(); number++) {
            if (members[number] > 0) {
                NodeCounts state = classes.get(number);
                verdicts[number] = evaluator.verdict(state, ask);
                scores[number] = evaluator.score(state, ask, verdicts[number]);
            }
        }
        for (int slot = 0; slot < slots; slot++) {
            verdictsInto[slot] = verdicts[classOfSlot[slot]];
            scoresInto[slot] = scores[classOfSlot[slot]];
        }
    }
}
