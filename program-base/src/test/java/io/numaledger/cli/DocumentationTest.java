package io.numaledger.cli;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Properties;

import static org.assertj.core.api.Assertions.assertThat;

class DocumentationTest {

    @ParameterizedTest(name = "source={0} commit={1}")
    @CsvSource(nullValues = "-", textBlock = """
            https://git.example.com/numa/numaledger.git, 3a7b51b, https://git.example.com/numa/numaledger/blob/3a7b51b/docs/operate.md#drains
            https://git.example.com/numa/numaledger/, -, https://git.example.com/numa/numaledger/blob/HEAD/docs/operate.md#drains
            '', 3a7b51b, docs/operate.md#drains of the source code
            ${numaledger.source}, 3a7b51b, docs/operate.md#drains of the source code
            """)
    void namesAPageThatTheReaderCanFind(String source, String commit, String page) {
        Properties build = new Properties();
        build.setProperty("source", source);
        build.setProperty("commit", commit == null ? "" : commit);

        assertThat(Documentation.page("operate.md#drains", new ProgramVersion(build)))
                .isEqualTo(page);
    }
}
