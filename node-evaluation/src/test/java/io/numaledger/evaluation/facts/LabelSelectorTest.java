package io.numaledger.evaluation.facts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LabelSelectorTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pool=a                      | true
            pool==a                     | true
            pool=b                      | false
            pool!=b                     | true
            rack!=1                     | true
            pool                        | true
            rack                        | false
            !rack                       | true
            !pool                       | false
            pool in (a, b)              | true
            pool notin (a,b)            | false
            pool in (a,b),zone=z        | true
            pool = a , zone!=z          | false
            example.com/x-y_z=1.2       | true
            """)
    void selectsAsKubectlDoes(String selector, boolean matches) {
        assertThat(LabelSelector.parse(selector).matches(Map.of("pool", "a", "zone", "z", "example.com/x-y_z", "1.2")))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a,,b", "a=b=c", "in (a)", "a in a", "a in (b", "=a", "a b"})
    void refusesWhatIsNoSelector(String selector) {
        assertThatThrownBy(() -> LabelSelector.parse(selector))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a label selector: '%s'".formatted(selector));
    }

    @Test
    void anEmptyValueIsAValue() {
        assertThat(LabelSelector.parse("gpu=").matches(Map.of("gpu", ""))).isTrue();
    }
}
