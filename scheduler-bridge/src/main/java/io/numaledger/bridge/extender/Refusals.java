package io.numaledger.bridge.extender;

import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The refusals of a filter call. Thousands of nodes share few objects: each gets a number, so that a text is made once for all of them. */
final class Refusals {

    static final int NONE = -1;

    private final int[] byPlace;
    private final List<Refused> objects = new ArrayList<>();

    /** @param evaluations by the place of the node in the request */
    Refusals(List<Evaluation> evaluations) {
        this.byPlace = new int[evaluations.size()];
        IdentityHashMap<Refused, Integer> numbers = new IdentityHashMap<>();
        for (int place = 0; place < byPlace.length; place++) {
            byPlace[place] = evaluations.get(place) instanceof Refused refused ? number(refused, numbers) : NONE;
        }
    }

    private int number(Refused refused, IdentityHashMap<Refused, Integer> numbers) {
        Integer known = numbers.get(refused);
        if (known != null) {
            return known;
        }
        numbers.put(refused, objects.size());
        objects.add(refused);
        return objects.size() - 1;
    }

    /** The number of the refusal by the node at a place, or {@link #NONE}. */
    int at(int place) {
        return byPlace[place];
    }

    /** The refusals by their numbers. Some may be equal. */
    List<Refused> objects() {
        return objects;
    }

    /** Each different refusal, with the number of nodes that it concerns. */
    Map<Refused, Integer> counts() {
        int[] counts = new int[objects.size()];
        for (int number : byPlace) {
            if (number != NONE) {
                counts[number]++;
            }
        }
        Map<Refused, Integer> byValue = new HashMap<>();
        for (int number = 0; number < counts.length; number++) {
            byValue.merge(objects.get(number), counts[number], Integer::sum);
        }
        return byValue;
    }
}
