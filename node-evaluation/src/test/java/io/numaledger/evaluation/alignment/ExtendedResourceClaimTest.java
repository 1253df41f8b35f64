package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

class ExtendedResourceClaimTest {

    private static final String VF = "example.com/vf";

    /** Containers such as {@code app 2}, plain init containers, or sidecars, with so many devices and a CPU. */
    private static PodRequest pod(String containers) {
        List<ContainerRequest> inits = new ArrayList<>();
        List<ContainerRequest> apps = new ArrayList<>();
        for (String text : containers.split(", ")) {
            Kind kind = switch (text.substring(0, text.indexOf(' '))) {
                case "init" -> Kind.PLAIN_INIT;
                case "sidecar" -> Kind.SIDECAR;
                default -> Kind.APP;
            };
            Resources resources = Resources.equalTo(new TreeMap<>(Map.of(
                    "cpu", RequestedAmount.of(1), VF, RequestedAmount.parse(text.substring(text.indexOf(' ') + 1)))));
            (kind == Kind.APP ? apps : inits)
                    .add(new ContainerRequest("c" + (inits.size() + apps.size()), kind, resources));
        }
        return new PodRequest("default/x", QosClass.BURSTABLE, Optional.empty(), inits, apps);
    }

    private static String requests(PodRequest pod, String... resources) {
        return ExtendedResourceClaim.of(
                        "default",
                        pod,
                        new TreeSet<>(Set.of(resources)),
                        resource -> Optional.of(new DeviceClass(
                                resource.replaceAll(".*/", ""), List.of(), Optional.empty(), Optional.empty())))
                .requests()
                .stream()
                .map(request -> "%s: %d %s"
                        .formatted(
                                request.name(),
                                request.alternatives().get(0).count(),
                                request.alternatives().get(0).deviceClass()))
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            app 2                           | container-0-request-1: 2 vf
            app 2, app 0, app 1             | container-0-request-1: 2 vf, container-2-request-1: 1 vf
            init 2, app 2                   | container-1-request-1: 2 vf
            init 3, init 4, app 2           | container-1-request-1: 2 vf, container-2-request-1: 2 vf
            init 3, init 3, app 2           | container-0-request-1: 1 vf, container-2-request-1: 2 vf
            sidecar 1, init 3, app 1        | container-0-request-1: 1 vf, container-1-request-1: 2 vf, container-2-request-1: 1 vf
            """)
    void hasARequestForEachContainerThatStays(String containers, String requests) {
        assertThat(requests(pod(containers), VF)).isEqualTo(requests);
    }

    @Test
    void isMadeForTheResourcesThatAreServed() {
        assertThat(ExtendedResourceClaim.requested(pod("app 2"), Set.of(VF, "example.com/other")))
                .containsExactly(VF);
        assertThat(ExtendedResourceClaim.requested(pod("app 0"), Set.of(VF))).isEmpty();
        assertThat(ExtendedResourceClaim.requested(pod("app 2"), Set.of())).isEmpty();
    }
}
