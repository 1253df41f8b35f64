package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.ClaimNeeds.Alternative;
import io.numaledger.evaluation.alignment.ClaimNeeds.Request;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.ClaimConstraint;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A constraint during a search, with the devices that are taken. Lists of values are sets: those that match have a common value, distinct
 * ones have none (dynamic-resource-allocation, structured/internal/experimental, constraint.go).
 */
final class ConstraintState {

    private final ClaimConstraint constraint;

    /** What the devices taken so far have in common with matchAttribute; what each of them has with distinctAttribute. */
    private final Deque<Set<String>> taken = new ArrayDeque<>();

    ConstraintState(ClaimConstraint constraint) {
        this.constraint = constraint;
    }

    /** Whether the device fits to those that are taken; if so, it is taken, too. */
    Match add(Request request, Alternative alternative, Device device) {
        Optional<String> name = constraint.matchAttribute().or(constraint::distinctAttribute);
        if (!isAbout(request, alternative)) {
            return Match.YES;
        }
        if (name.isEmpty()) {
            return Match.COULD;
        }
        DeviceAttribute attribute = device.attributes().get(name.get());
        if (attribute == null) {
            return Match.NO;
        }
        if (attribute.values().isEmpty()) {
            return Match.COULD;
        }
        return constraint.matchAttribute().isPresent() ? match(values(attribute)) : distinguish(values(attribute));
    }

    private Match match(Set<String> values) {
        if (!taken.isEmpty()) {
            values.retainAll(taken.peek());
        }
        if (values.isEmpty()) {
            return Match.NO;
        }
        taken.push(values);
        return Match.YES;
    }

    private Match distinguish(Set<String> values) {
        if (!taken.stream().allMatch(each -> Collections.disjoint(each, values))) {
            return Match.NO;
        }
        taken.push(values);
        return Match.YES;
    }

    /** Takes back the last {@link #add} that was not refused, with the same arguments. */
    void remove(Request request, Alternative alternative) {
        if (isAbout(request, alternative) && !taken.isEmpty()) {
            taken.pop();
        }
    }

    private boolean isAbout(Request request, Alternative alternative) {
        return constraint.requests().isEmpty()
                || constraint.requests().contains(request.name())
                || constraint
                        .requests()
                        .contains(request.name() + "/" + alternative.wanted().name());
    }

    private static Set<String> values(DeviceAttribute attribute) {
        return attribute.values().stream()
                .map(value -> attribute.type() + " " + value)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
