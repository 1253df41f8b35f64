package io.numaledger.apiservers.real;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The certificate of a server that starts: its file exists before it has content. */
class ServingCertificateTest {

    @TempDir
    private Path directory;

    @Test
    void isNotThereWhileItsFileIsEmpty() throws Exception {
        ApiServerFiles files = new ApiServerFiles(directory);
        Files.createDirectories(files.certificates());
        Files.createFile(files.servingCertificate());

        assertThat(files.hasServingCertificate()).isFalse();
    }

    @Test
    void noClientTrustsAFileWithoutCertificates() throws Exception {
        Path empty = Files.createFile(directory.resolve("apiserver.crt"));

        assertThatThrownBy(() -> ApiClient.trusting(empty))
                .isInstanceOf(CertificateException.class)
                .hasMessageContaining(empty.toString());
    }
}
