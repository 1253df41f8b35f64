package io.numaledger.agent.kubelet;

import io.numaledger.agent.run.CapturedLog;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.nrt.KubeletSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class KubeletConfigurationTest {

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private Optional<KubeletSettings> kubelet = Optional.of(settings("restricted"));
    private IOException refusal = new IOException("refused");
    private int asked;

    @Test
    void flagsWinOverTheFileAndTheFileOverTheKubelet() {
        assertThat(configuration(settings("none"), Optional.of(settings("best-effort"))))
                .returns("none", KubeletConfigurationTest::policy)
                .returns("flags", KubeletConfiguration::source);
        assertThat(configuration(KubeletSettings.UNKNOWN, Optional.of(settings("best-effort"))))
                .returns("best-effort", KubeletConfigurationTest::policy)
                .returns("file", KubeletConfiguration::source);
        assertThat(asked).isZero();
        assertThat(configuration(KubeletSettings.UNKNOWN, Optional.empty()))
                .returns("restricted", KubeletConfigurationTest::policy)
                .returns("configz", KubeletConfiguration::source);
    }

    @Test
    void asksOnceUntilTheKubeletRestarts() {
        KubeletConfiguration configuration = configuration(KubeletSettings.UNKNOWN, Optional.empty());

        configuration.get();
        now = now.plus(Duration.ofDays(1));
        configuration.get();
        assertThat(asked).isEqualTo(1);
        kubelet = Optional.of(settings("single-numa-node"));
        configuration.kubeletRestarted();

        assertThat(policy(configuration)).isEqualTo("single-numa-node");
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void publishesNothingThatTheKubeletDidNotTell() {
        kubelet = Optional.empty();
        KubeletConfiguration configuration = configuration(KubeletSettings.UNKNOWN, Optional.empty());

        assertThat(configuration.get()).isEqualTo(KubeletSettings.UNKNOWN);
        assertThat(configuration.source()).isEqualTo("none");
        configuration.get();
        assertThat(asked).isEqualTo(1);
        now = now.plus(Duration.ofMinutes(11));
        configuration.get();
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void asksAKubeletThatRefusesSoonAgainAndThenLessAndLess() {
        kubelet = Optional.empty();
        KubeletConfiguration configuration = configuration(KubeletSettings.UNKNOWN, Optional.empty());
        List<Long> askedAfterSeconds = new ArrayList<>();
        Instant begin = now;
        for (int second = 0; second <= 3600; second++) {
            int before = asked;
            configuration.get();
            if (asked > before) {
                askedAfterSeconds.add(Duration.between(begin, now).toSeconds());
            }
            now = now.plusSeconds(1);
        }

        assertThat(askedAfterSeconds)
                .containsExactly(0L, 5L, 15L, 35L, 75L, 155L, 315L, 635L, 1235L, 1835L, 2435L, 3035L);
    }

    @Test
    void keepsTheLastAnswerWhileTheKubeletIsAway() {
        KubeletConfiguration configuration = configuration(KubeletSettings.UNKNOWN, Optional.empty());
        configuration.get();
        kubelet = Optional.empty();
        refusal = new Configz.Unreachable("away", refusal);
        configuration.kubeletRestarted();

        assertThat(policy(configuration)).isEqualTo("restricted");
        kubelet = Optional.of(settings("none"));
        now = now.plus(Duration.ofSeconds(6));
        assertThat(policy(configuration)).isEqualTo("none");
    }

    @Test
    void readsTheFileAgainWhenTheKubeletHasRestarted(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("kubelet.yaml"), "topologyManagerPolicy: restricted");
        KubeletConfiguration configuration = new KubeletConfiguration(
                KubeletSettings.UNKNOWN, Optional.of(() -> KubeletConfigFile.read(file)), Optional.empty(), () -> now);
        assertThat(policy(configuration)).isEqualTo("restricted");

        Files.writeString(file, "topologyManagerPolicy: single-numa-node");
        assertThat(policy(configuration))
                .as("the kubelet still runs with the old one")
                .isEqualTo("restricted");
        configuration.kubeletRestarted();
        assertThat(policy(configuration)).isEqualTo("single-numa-node");
    }

    @Test
    void keepsTheLastConfigurationWhileTheFileIsUnreadableAndSaysSoOnce(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("kubelet.yaml"), "topologyManagerPolicy: restricted");
        KubeletConfiguration configuration = new KubeletConfiguration(
                KubeletSettings.UNKNOWN, Optional.of(() -> KubeletConfigFile.read(file)), Optional.empty(), () -> now);
        Files.writeString(file, "topologyManagerPolicy: strict");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(policy(configuration)).isEqualTo("restricted");
            assertThat(policy(configuration)).isEqualTo("restricted");
            assertThat(log.events()).singleElement().asString().contains("event=kubelet.config_unknown", "'strict'");
        }
        Files.writeString(file, "topologyManagerPolicy: none");
        assertThat(policy(configuration)).isEqualTo("none");
    }

    private KubeletConfiguration configuration(KubeletSettings flags, Optional<KubeletSettings> file) {
        KubeletConfiguration.Reader reader = () -> {
            asked++;
            if (kubelet.isEmpty()) {
                throw refusal;
            }
            return kubelet.get();
        };
        return configuration(flags, file.map(settings -> () -> settings), reader);
    }

    private KubeletConfiguration configuration(
            KubeletSettings flags, Optional<KubeletConfiguration.Reader> file, KubeletConfiguration.Reader configz) {
        try {
            return new KubeletConfiguration(flags, file, Optional.of(configz), () -> now);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String policy(KubeletConfiguration configuration) {
        return configuration
                .get()
                .topologyManagerPolicy()
                .map(TopologyPolicyName::toString)
                .orElse("unknown");
    }

    private static KubeletSettings settings(String policy) {
        return new KubeletSettings(
                Optional.of(TopologyPolicyName.parse(policy)),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty());
    }
}
