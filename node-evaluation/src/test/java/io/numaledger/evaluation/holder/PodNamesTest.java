package io.numaledger.evaluation.holder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class PodNamesTest {

    private static final PodNames OF_DEFAULT = PodNames.of("default");

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            default/a                                 | default/a                            | default/a
            secret/b                                  | secret/b                             | a pod of another namespace
            secret/b;default/a                        | default/a, secret/b                  | default/a, a pod of another namespace
            secret/b;secret/c;default/a               | default/a, secret/b, secret/c        | default/a, 2 pods of other namespaces
            default/d;default/c;default/b;default/a;x/e | default/a, default/b, default/c and 2 more | default/a, default/b, default/c, a pod of another namespace and 1 more
            secret/b (deleted)                        | secret/b (deleted)                   | a deleted pod
            /*                                        | pods without a placement record      | pods without a placement record
            """)
    void namesHoldersThatTheReaderMayRead(String keys, String forAll, String forDefault) {
        List<Holder> holders = Arrays.stream(keys.split(";")).map(Holder::of).toList();

        assertThat(PodNames.ALL.list(holders)).isEqualTo(forAll);
        assertThat(OF_DEFAULT.list(holders)).isEqualTo(forDefault);
    }

    @Test
    void whatIsSaidAboutAPodIsForItsReaders() {
        Sentence sentence = Sentence.of("conflict: ")
                .plus(Sentence.about(Holder.of("secret/b"), "the record of secret/b has too much: container=main"));

        assertThat(PodNames.ALL.text(sentence))
                .isEqualTo("conflict: the record of secret/b has too much: container=main");
        assertThat(OF_DEFAULT.text(sentence)).isEqualTo("conflict: a pod of another namespace");
    }

    @Test
    void textsHaveNoControlCharacters() {
        assertThat(PodNames.ALL.text(Sentence.of("a\u001b[2J\u009b\nb\u202e")))
                .isEqualTo("a\\u001b[2J\\u009b\\u000ab\\u202e");
    }
}
