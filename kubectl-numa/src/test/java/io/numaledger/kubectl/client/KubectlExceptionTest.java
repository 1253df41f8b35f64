package io.numaledger.kubectl.client;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KubectlExceptionTest {

    @Test
    void saysThatThereIsNoCluster() {
        assertThat(
                        KubectlException.of(
                                "The connection to the server localhost:8080 was refused - did you specify the right host or port?"))
                .hasMessage("kubectl knows no cluster; set KUBECONFIG, or give --kubeconfig or --context");
    }
}
