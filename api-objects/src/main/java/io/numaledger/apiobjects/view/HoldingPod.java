package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.placement.Placement;
import io.numaledger.scheduling.dra.PodDevices;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod of a node that holds something of its zones, or devices by claims.
 *
 * @param source of the placement; {@code claims}: nothing is known beside its claims
 * @param devices absent: it has no claims
 */
record HoldingPod(
        Holder holder, String source, boolean terminating, Placement placement, Optional<PodDevices> devices) {

    /** What is known beside the claims of such a pod. */
    private static final String CLAIMS_ONLY = "claims";

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The pods that hold something of a zone, and then those that only have claims. */
    static List<HoldingPod> of(NodeSnapshot node, List<PodDevices> devices) {
        Map<String, PodDevices> left = new LinkedHashMap<>();
        devices.forEach(each -> left.put(each.pod().key(), each));
        List<HoldingPod> pods = new ArrayList<>();
        node.pods()
                .forEach(held -> pods.add(new HoldingPod(
                        held.holder(),
                        held.source().toString(),
                        held.terminating(),
                        held.placement(),
                        Optional.ofNullable(left.remove(held.key())))));
        left.forEach((key, each) -> pods.add(new HoldingPod(
                Holder.of(key), CLAIMS_ONLY, each.pod().terminating(), Placement.EMPTY, Optional.of(each))));
        return pods;
    }

    ObjectNode json() {
        ObjectNode json = JSON.createObjectNode();
        json.put("pod", holder.toString());
        json.put("source", source);
        json.put("terminating", terminating);
        json.set("placement", ExplanationJson.placement(placement));
        devices.ifPresent(each -> json.set("claims", DevicesJson.of(each)));
        return json;
    }
}
