package io.numaledger.text;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class NearNamesTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            default/helo  | default/hello
            default/hlelo | default/hello
            team/hello    | default/hello
            default/web   | default/web-7c9f-x2x1z
            NODE-1        | node-1 node-2
            x             |
            else          |
            """)
    void proposesNamesThatAreFewErrorsAwayOrBeginWithIt(String wrong, String near) {
        List<String> known = List.of("default/hello", "default/web-7c9f-x2x1z", "secret/other", "node-1", "node-2");

        assertThat(String.join(" ", NearNames.of(wrong, known))).isEqualTo(near == null ? "" : near);
    }

    @Test
    void proposesThreeAtMost() {
        assertThat(NearNames.hint("ab", List.of("ab4", "ab2", "ab1", "ab3")))
                .isEqualTo("; did you mean ab1 or ab2 or ab3?");
        assertThat(NearNames.hint("ab", Collections.emptyList())).isEmpty();
    }
}
