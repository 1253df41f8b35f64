package io.numaledger.evaluation.link;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.pod.RequestedAmount;

import java.util.List;
import java.util.Optional;

/** Reads the demand for linked GPUs in a pod's annotations. */
public final class GpuLinks {

    /** What namespaces ask for their pods with two GPUs or more. */
    public static final NamespaceDefaults.Rule DEFAULTS = new NamespaceDefaults.Rule(
            List.of(Annotations.GPU_LINKS, Annotations.GPU_LINKS_MIN), pod -> gpus(pod) >= 2);

    private static final int SHOWN = 40;

    private GpuLinks() {}

    /**
     * What a pod demands of the links of its GPUs; absent: nothing.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid value
     */
    public static Optional<LinkDemand> of(PodFacts pod) {
        String mode = text(pod, Annotations.GPU_LINKS).orElse("none");
        Optional<String> least = text(pod, Annotations.GPU_LINKS_MIN);
        if (!mode.equals("required") && !mode.equals("preferred") && !mode.equals("none")) {
            throw invalid(Annotations.GPU_LINKS, mode, "use required, preferred or none");
        }
        if (least.isPresent() && !least.get().matches("[0-9]{1,6}")) {
            throw invalid(Annotations.GPU_LINKS_MIN, least.get(), "use a whole number of 0 or more");
        }
        long links = least.map(Long::parseLong).orElse(0L);
        boolean everyPair = mode.equals("required");
        return mode.equals("none") || (!everyPair && links == 0)
                ? Optional.empty()
                : Optional.of(new LinkDemand(everyPair, links));
    }

    /** Whether the pod wants links between its GPUs, needed or not. */
    public static boolean isAskedBy(PodFacts pod) {
        return text(pod, Annotations.GPU_LINKS)
                .filter(mode -> !mode.equals("none"))
                .isPresent();
    }

    private static long gpus(PodFacts pod) {
        return pod.request().inAllocationOrder().stream()
                .flatMap(container ->
                        Optional.ofNullable(container.resources().requests().get(NamedGpus.RESOURCE)).stream())
                .mapToLong(RequestedAmount::whole)
                .sum();
    }

    private static Optional<String> text(PodFacts pod, String name) {
        return Optional.ofNullable(pod.annotations().get(name)).map(String::strip);
    }

    private static IllegalArgumentException invalid(String name, String value, String advice) {
        String shown = value.length() > SHOWN ? value.substring(0, SHOWN) + "…" : value;
        return new IllegalArgumentException(
                "invalid annotation: %s='%s'; %s, or remove it".formatted(name, shown, advice));
    }
}
