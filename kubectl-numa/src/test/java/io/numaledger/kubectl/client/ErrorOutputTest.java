package io.numaledger.kubectl.client;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorOutputTest {

    private final StringWriter passed = new StringWriter();

    private String errors(String output) throws IOException {
        return ErrorOutput.passOn(new StringReader(output), passed);
    }

    @Test
    void keepsTheErrorsOfKubectl() throws IOException {
        assertThat(errors("Error from server (NotFound): nothing here\n"))
                .isEqualTo("Error from server (NotFound): nothing here");
        assertThat(errors("error: context \"x\" does not exist")).isEqualTo("error: context \"x\" does not exist");
        assertThat(passed.toString()).isEmpty();
    }

    @Test
    void passesOnWhatACredentialPluginSaysAndAsks() throws IOException {
        assertThat(errors("To sign in, open https://example.com and enter ABC\nPassword: "))
                .isEmpty();
        assertThat(passed.toString()).isEqualTo("To sign in, open https://example.com and enter ABC\nPassword: ");
    }

    @Test
    void passesOnAWarningBeforeAnError() throws IOException {
        assertThat(errors("E1124 12:00:00 memcache.go:265] no\nUnable to connect to the server: EOF\n"))
                .isEqualTo("Unable to connect to the server: EOF");
        assertThat(passed.toString()).isEqualTo("E1124 12:00:00 memcache.go:265] no\n");
    }
}
