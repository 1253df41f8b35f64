package io.numaledger.scheduling.stranded;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PlacementRecords;
import io.numaledger.evaluation.facts.PodClaims;
import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupMembership;
import io.numaledger.evaluation.facts.PodIdentity;
import io.numaledger.evaluation.facts.PodLifecycle;
import io.numaledger.evaluation.facts.PodPhase;
import io.numaledger.evaluation.facts.PodPriority;
import io.numaledger.evaluation.facts.PodScheduling;
import io.numaledger.evaluation.facts.SchedulingAttempt;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.resource.ResourceKind;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static io.numaledger.topology.Sorted.sorted;

/**
 * A size of pods by which capacity is counted: one container whose limits equal its requests. With CPUs and memory it is Guaranteed.
 *
 * @param linked every pair of its GPUs needs a link
 */
public record ReferencePod(String name, SortedMap<String, RequestedAmount> requests, boolean linked)
        implements Comparable<ReferencePod> {

    private static final String FORM = "use NAME:RESOURCE=AMOUNT,…, such as gpu-4:cpu=16,memory=128Gi,nvidia.com/gpu=4";
    private static final String LINKS = "gpu-links";
    private static final String REQUIRED = "required";
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern RESOURCE =
            Pattern.compile("cpu|memory|ephemeral-storage|hugepages-[0-9]+[KMG]i|[a-z0-9.-]+/[A-Za-z0-9._-]+");

    public ReferencePod {
        requests = sorted(requests);
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException as a sentence
     */
    public static ReferencePod parse(String text) {
        String[] parts = text.split(":", 2);
        if (parts.length < 2 || !NAME.matcher(parts[0]).matches()) {
            throw invalid(text, "it begins with no name of small letters, digits and '-'; " + FORM);
        }
        SortedMap<String, RequestedAmount> requests = new TreeMap<>();
        boolean linked = false;
        for (String each : parts[1].split(",", -1)) {
            String[] pair = each.split("=", 2);
            if (pair.length < 2) {
                throw invalid(text, "'%s' is no RESOURCE=AMOUNT; %s".formatted(each, FORM));
            }
            if (pair[0].equals(LINKS)) {
                if (!pair[1].equals(REQUIRED)) {
                    throw invalid(text, "%s is '%s'; use %s, or leave it out".formatted(LINKS, pair[1], REQUIRED));
                }
                linked = true;
            } else if (requests.put(pair[0], amount(text, pair[0], pair[1])) != null) {
                throw invalid(text, "%s is there twice; remove one".formatted(pair[0]));
            }
        }
        if (requests.isEmpty()) {
            throw invalid(text, "it requests nothing; " + FORM);
        }
        return new ReferencePod(parts[0], requests, linked);
    }

    private static RequestedAmount amount(String text, String resource, String amount) {
        if (!RESOURCE.matcher(resource).matches()) {
            throw invalid(text, "'%s' is no name of a resource; %s".formatted(resource, FORM));
        }
        RequestedAmount read;
        try {
            read = RequestedAmount.parse(amount);
        } catch (IllegalArgumentException e) {
            throw invalid(text, "%s: %s".formatted(resource, e.getMessage()));
        }
        boolean whole = ResourceKind.of(resource) != ResourceKind.DEVICE || read.millis() % 1000 == 0;
        if (read.compareTo(RequestedAmount.ZERO) <= 0 || !whole) {
            throw invalid(text, "%s is '%s'; use an amount above 0, and whole devices".formatted(resource, amount));
        }
        return read;
    }

    private static IllegalArgumentException invalid(String text, String why) {
        return new IllegalArgumentException("invalid reference pod: '%s': %s".formatted(text, why));
    }

    /** A pod of this size that no API server knows. */
    public PodFacts pod() {
        PodRequest request = PodRequest.of("reference/" + name, ContainerRequest.app("main", requests));
        SortedMap<String, String> annotations = new TreeMap<>();
        if (linked) {
            annotations.put(Annotations.GPU_LINKS, REQUIRED);
        }
        return new PodFacts(
                new PodIdentity("reference", name, Optional.empty(), Collections.emptySortedMap(), annotations),
                new PodLifecycle(
                        Optional.empty(),
                        PodPhase.PENDING,
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        Optional.empty(),
                        PodLifecycle.AgentPod.NONE,
                        PodClaims.NONE),
                PlacementRecords.NONE,
                new PodScheduling(
                        PodPriority.DEFAULT, PodFacts.DEFAULT_SCHEDULER, PodConstraints.NONE, SchedulingAttempt.NONE),
                PodGroupMembership.NONE,
                request,
                request);
    }

    /** What it requests, such as {@code cpu=16,memory=128Gi,nvidia.com/gpu=4}. */
    public String size() {
        return requests.entrySet().stream()
                        .map(each -> each.getKey() + "=" + each.getValue())
                        .collect(Collectors.joining(","))
                + (linked ? "," + LINKS + "=" + REQUIRED : "");
    }

    @Override
    public int compareTo(ReferencePod other) {
        return toString().compareTo(other.toString());
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        return name + ":" + size();
    }
}
