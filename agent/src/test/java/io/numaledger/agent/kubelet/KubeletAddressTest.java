package io.numaledger.agent.kubelet;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KubeletAddressTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.7,https://10.0.0.7:10250/configz",
        "10.0.0.7:10999,https://10.0.0.7:10999/configz",
        "[fd00::7]:10999,https://[fd00::7]:10999/configz",
        "fd00::7,https://[fd00::7]:10250/configz"
    })
    void readsHostAndPort(String text, String url) {
        assertThat(KubeletAddress.parse(text).configz()).hasToString(url);
    }

    @Test
    void saysWhatAnAddressLooksLike() {
        assertThatThrownBy(() -> KubeletAddress.parse("10.0.0.7:x"))
                .hasMessage("'10.0.0.7:0' is no address of a kubelet; expected such as 10.0.0.7 or 10.0.0.7:10250");
    }

    @Test
    void takesTheNodesFirstInternalAddressAndTheKubeletsPort() throws IOException {
        try (JsonParser json = new JsonFactory().createParser("""
                {"metadata":{"name":"a"},"status":{"addresses":[{"type":"Hostname","address":"a"},
                 {"address":"10.0.0.7","type":"InternalIP"},{"type":"InternalIP","address":"fd00::7"}],
                 "daemonEndpoints":{"kubeletEndpoint":{"Port":40123}},"phase":""}}""")) {
            json.nextToken();

            assertThat(KubeletAddress.ofNode(json)).contains(new KubeletAddress("10.0.0.7", 40123));
        }
    }
}
