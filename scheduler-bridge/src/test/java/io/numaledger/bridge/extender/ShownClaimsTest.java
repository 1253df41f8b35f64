package io.numaledger.bridge.extender;

import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class ShownClaimsTest {

    private final TestCluster cluster = new TestCluster();
    private final ShownClaims claims = new ShownClaims(cluster.state, Duration.ofMinutes(10));

    /** @param claim its name; empty: it is not made yet */
    private static PodFacts pod(String alignment, String claim) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x",
                "cpu: 2, memory: 1Gi",
                ", annotations: {numaledger.io/claim-alignment: %s}".formatted(alignment),
                "  resourceClaims: [{name: device, resourceClaimTemplateName: one}]",
                claim.isEmpty()
                        ? ""
                        : ", resourceClaimStatuses: [{name: device, resourceClaimName: %s}]".formatted(claim)));
    }

    private void show(String claim) {
        cluster.state
                .claims()
                .claimChanged(new ResourceClaim(
                        "default",
                        claim,
                        "u",
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        Collections.emptySortedSet(),
                        List.of()));
    }

    @Test
    void waitsUntilTheWatchShowsTheClaimsAndThePodThatNamesThem() throws Exception {
        cluster.state.podChanged(pod("required", ""));
        CompletableFuture<Void> filter = CompletableFuture.runAsync(() -> claims.await(pod("required", "mine")));
        show("mine");
        assertThat(filter).isNotDone();
        cluster.state.podChanged(pod("required", "mine"));
        filter.get(1, TimeUnit.MINUTES);
    }

    @Test
    void doesNotWaitForPodsThatDoNotRequireAlignment() {
        claims.await(pod("preferred", "mine"));
        claims.await(pod("maybe", "mine"));
        assertThat(cluster.state.claims().know(pod("preferred", "mine"))).isFalse();
    }

    @Test
    void endsInTime() {
        new ShownClaims(cluster.state, Duration.ZERO).await(pod("required", "mine"));
        assertThat(cluster.state.claims().know(pod("required", "mine"))).isFalse();
    }
}
