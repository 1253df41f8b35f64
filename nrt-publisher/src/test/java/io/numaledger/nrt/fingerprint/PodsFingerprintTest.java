package io.numaledger.nrt.fingerprint;

import io.numaledger.kubelet.config.MemoryPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

class PodsFingerprintTest {

    /** The vectors that podfingerprint v1 publishes. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no pods  |                                          | pfp0v001ef46db3751d8e999
            one pod  | default/pod-a                            | pfp0v0019131e707ccadb65c
            two pods | default/pod-a,kube-system/coredns-1      | pfp0v001ccbfc86ce2630dd7
            any order | kube-system/coredns-1,default/pod-a     | pfp0v001ccbfc86ce2630dd7
            """)
    void agreesWithThePublishedVectors(String situation, String pods, String expected) {
        assertThat(PodsFingerprint.of(pods(pods))).isEqualTo(expected);
    }

    /** XXH64's own vectors: every path of the algorithm, by length of the input. */
    @ParameterizedTest(name = "XXH64 of ''{0}'', seed 0")
    @CsvSource(delimiter = '|', textBlock = """
            a                                                          | d24ec4f1a98c6e5b
            as                                                         | 1c330fb2d66be179
            asd                                                        | 631c37ce72a97393
            asdf                                                       | 415872f599cea71e
            Call me Ishmael. Some years ago--never mind how long precisely- | 02a2e85470d6fd96
            """)
    void hashesAsXxHashDoes(String text, String expected) {
        assertThat("%016x".formatted(XxHash64.hash(text.getBytes(US_ASCII), 0))).isEqualTo(expected);
    }

    @Test
    void countsAllPodsWhereASchedulerCouldNotTellTheExclusiveOnes() {
        assertThat(FingerprintMethod.readersAgreeOn(Optional.of(MemoryPolicy.NONE)))
                .isEqualTo(FingerprintMethod.ALL);
        assertThat(FingerprintMethod.readersAgreeOn(Optional.of(MemoryPolicy.STATIC)))
                .isEqualTo(FingerprintMethod.WITH_EXCLUSIVE_RESOURCES);
        assertThat(FingerprintMethod.readersAgreeOn(Optional.empty()))
                .isEqualTo(FingerprintMethod.WITH_EXCLUSIVE_RESOURCES);
    }

    private static List<PodName> pods(String list) {
        return list == null
                ? List.of()
                : Arrays.stream(list.split(","))
                        .map(key -> key.split("/"))
                        .map(parts -> new PodName(parts[0], parts[1]))
                        .toList();
    }
}
