package io.numaledger.bridge.extender;

import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class DoubtfulBindsTest {

    private final SilentReader reader = new SilentReader();
    private final AtomicLong nanos = new AtomicLong();
    private final DoubtfulBinds doubtful = new DoubtfulBinds(new TestCluster().state, reader, nanos::get);

    private void bindWithoutAnswer(String pod, String node) {
        reader.silent.add(pod);
        assertThat(doubtful.isBound(ClusterYaml.pending(pod, "cpu: \"2\", memory: 1Gi"), node, false))
                .isFalse();
        reader.silent.clear();
        reader.read.clear();
    }

    private void settle() {
        nanos.addAndGet(DoubtfulBinds.SETTLED_AFTER.toNanos());
    }

    @Test
    void looksUpAPodOnceThatIsBoundToANodeAgainAndAgain() {
        for (int i = 0; i < 100; i++) {
            bindWithoutAnswer("a", "n");
        }
        bindWithoutAnswer("a", "m");
        bindWithoutAnswer("b", "n");
        settle();

        doubtful.lookUp();
        doubtful.lookUp();

        assertThat(reader.read).containsExactly("a", "a", "b");
    }

    @Test
    void countsFromTheLastBind() {
        bindWithoutAnswer("a", "n");
        nanos.addAndGet(1);
        bindWithoutAnswer("a", "n");
        nanos.addAndGet(DoubtfulBinds.SETTLED_AFTER.toNanos() - 1);
        doubtful.lookUp();
        assertThat(reader.read).isEmpty();

        nanos.addAndGet(1);
        doubtful.lookUp();
        assertThat(reader.read).containsExactly("a");
    }

    @Test
    void leavesTheOthersToTheNextCallWithoutAnAnswer() {
        List.of("a", "b", "c").forEach(pod -> bindWithoutAnswer(pod, "n"));
        settle();
        reader.silent.addAll(List.of("a", "b", "c"));

        doubtful.lookUp();
        assertThat(reader.read).containsExactly("a");
    }

    @Test
    void looksUpTheOthersAlthoughOneNeverHasAnAnswer() {
        List.of("a", "b", "c").forEach(pod -> bindWithoutAnswer(pod, "n"));
        settle();
        reader.silent.add("a");

        doubtful.lookUp();
        doubtful.lookUp();
        doubtful.lookUp();
        assertThat(reader.read).containsExactly("a", "b", "c", "a", "a");
    }

    /** No pod is there, but for some it does not answer. */
    private static final class SilentReader implements Binder {

        private final Set<String> silent = new HashSet<>();
        private final List<String> read = new ArrayList<>();

        @Override
        public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) {}

        @Override
        public Optional<PodFacts> read(String namespace, String name, String uid) throws IOException {
            read.add(name);
            if (silent.contains(name)) {
                throw new IOException("no answer");
            }
            return Optional.empty();
        }

        @Override
        public Optional<ResourceClaim> readClaim(String namespace, String name) {
            return Optional.empty();
        }
    }
}
