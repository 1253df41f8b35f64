package io.numaledger.text;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ControlCharactersTest {

    @ParameterizedTest(name = "U+{0}")
    @ValueSource(
            strings = {
                "0000", "0007", "0009", "000a", "000d", "001b", "001f", "007f", "0080", "0085", "009b", "009f", "200b",
                "200e", "200f", "2028", "2029", "202a", "202e", "2066", "2069", "feff"
            })
    void areWrittenAsEscapes(String code) {
        String text = "a" + (char) Integer.parseInt(code, 16) + "b";

        assertThat(ControlCharacters.escaped(text)).isEqualTo("a\\u" + code + "b");
    }

    @Test
    void otherTextStays() {
        String text = "pod=default/a: needs 4 cpu ~ \u00e4\u00a0\u4e2d \ud83d\ude00 \\u001b";

        assertThat(ControlCharacters.escaped(text)).isEqualTo(text);
    }
}
