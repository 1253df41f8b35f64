package io.numaledger.evaluation.claim;

import java.util.List;
import java.util.Optional;

/**
 * What the devices of several requests of a claim have to have in common. One with neither attribute is of a form that is not known.
 *
 * @param requests names, with a slash and the name of the alternative where one is meant; none: all
 * @param matchAttribute equal on all devices
 * @param distinctAttribute different on all devices
 */
public record ClaimConstraint(
        List<String> requests, Optional<String> matchAttribute, Optional<String> distinctAttribute) {

    public ClaimConstraint {
        requests = List.copyOf(requests);
    }
}
