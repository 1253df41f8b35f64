package io.numaledger.scheduling.gated;

import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.scheduling.gated.GatedCluster.tiedTo;
import static org.assertj.core.api.Assertions.assertThat;

/** Who may write pods may write that they are planned: that takes no place from others. Node a has two zones of 4 CPUs. */
class ForgedPlansTest {

    private final GatedCluster gated = new GatedCluster();

    @BeforeEach
    void start() {
        gated.nodes("a");
    }

    /** Two pods that would fill node a. */
    private void forge(String spec) {
        for (String name : new String[] {"forged-0", "forged-1"}) {
            gated.cluster.apply(ClusterYaml.pod(
                    name,
                    "cpu: \"4\", memory: 1Gi",
                    ", labels: {numaledger.io/pod-group: f}"
                            + ", annotations: {numaledger.io/min-member: \"1\", numaledger.io/planned-node: a}",
                    spec,
                    ", phase: Pending"));
        }
        gated.groups.check();
    }

    private enum Forgery {
        ANOTHER_GATE("  schedulingGates: [{name: example.com/never}]\n" + tiedTo("a")),
        GATES("  schedulingGates: [{name: example.com/never}, {name: numaledger.io/group}]\n" + tiedTo("a")),
        NOT_TIED(""),
        TIED_TO_ANOTHER_NODE(tiedTo("b")),
        TIED_TO_ONE_OF_TWO(tiedTo("a, b")),
        TIED_IN_ONE_TERM_ONLY(
                tiedTo("a").replace("}]}]}}}", "}]}, {matchExpressions: [{key: x, operator: Exists}]}]}}}")),
        OF_NODES_WITH_ANOTHER_LABEL(tiedTo("a") + "\n  nodeSelector: {disk: fast}");

        private final String spec;

        Forgery(String spec) {
            this.spec = spec;
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsKeptForAPodThatTheBridgeHasNotReleased(Forgery forgery) {
        forge(forgery.spec);

        assertThat(gated.cluster.state.reserved().planned("a")).isEmpty();
        assertThat(gated.refuses("a", 0)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"NoSchedule", "NoExecute"})
    void nothingIsKeptOnANodeWhoseTaintThePodDoesNotTolerate(Effect effect) {
        gated.cluster.apply(ClusterYaml.node("a")
                .replaceFirst(
                        "status:", "spec: {taints: [{key: team, value: b, effect: %s}]}\nstatus:".formatted(effect)));

        forge(tiedTo("a"));
        assertThat(gated.cluster.state.reserved().planned("a")).isEmpty();

        forge(tiedTo("a") + "\n  tolerations: [{key: team, operator: Exists}]");
        assertThat(gated.cluster.state.reserved().planned("a"))
                .as("the same with a toleration")
                .hasSize(2);
    }

    private enum Effect {
        NoSchedule,
        NoExecute
    }

    @Test
    void whatIsKeptEndsWhenTheNodeIsCordoned() {
        forge(tiedTo("a"));
        assertThat(gated.cluster.state.reserved().planned("a")).hasSize(2);

        gated.cluster.apply(ClusterYaml.node("a").replaceFirst("status:", "spec: {unschedulable: true}\nstatus:"));
        gated.groups.check();

        assertThat(gated.cluster.state.reserved().planned("a")).isEmpty();
    }

    @Test
    void onlyPodsThatFitBesideTheOthersKeepTheirPlace() {
        gated.fill("a", 0);

        forge(tiedTo("a"));

        assertThat(gated.cluster.state.reserved().planned("a")).hasSize(1);
    }

    @Test
    void noPlaceIsKeptFromAMoreImportantPod() {
        forge(tiedTo("a"));

        assertThat(gated.refuses("a", 0)).isTrue();
        assertThat(gated.refuses("a", 1000)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void otherGroupsArePlanned(Forgery forgery) {
        forge(forgery.spec);
        gated.create("default", "good", 2, 2, 0);

        gated.groups.check();

        assertThat(gated.released).containsOnlyKeys("good-0", "good-1");
    }

    /** Else the others of the group would be released without it. */
    @Test
    void aForgedPodIsNoneOfThoseThatHaveToRun() {
        forge("  schedulingGates: [{name: example.com/never}]");
        gated.nodes("b");
        gated.create("default", "f", 3, 1, 0);

        gated.groups.check();

        assertThat(gated.released).isEmpty();
    }
}
