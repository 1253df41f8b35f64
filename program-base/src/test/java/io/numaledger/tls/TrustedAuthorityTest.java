package io.numaledger.tls;

import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TrustedAuthorityTest {

    private static final Duration DAY = Duration.ofDays(1);

    private final Instant now = Instant.now();
    private final CertificateAuthority ours = CertificateAuthority.create("ours", now, DAY);
    private final CertificateAuthority foreign = CertificateAuthority.create("ours", now, DAY);

    @Test
    void believesOnlyClientsThatItSigned() throws IOException {
        TrustedAuthority authority = authority(new AtomicReference<>(pem(ours)));

        assertThat(authority.commonName(client(ours, now, DAY))).contains("scheduler");
        assertThat(authority.commonName(client(foreign, now, DAY))).isEmpty();
        assertThat(authority.commonName(List.of())).isEmpty();
    }

    @Test
    void refusesCertificatesOfServersAndExpiredOnes() throws IOException {
        TrustedAuthority authority = authority(new AtomicReference<>(pem(ours)));
        Issued server = ours.issue("scheduler", Purpose.SERVER, List.of("localhost"), List.of("127.0.0.1"), now, DAY);

        assertThat(authority.commonName(List.of(server.certificate()))).isEmpty();
        assertThat(authority.commonName(client(ours, now.minus(DAY), Duration.ofHours(1))))
                .isEmpty();
    }

    @Test
    void believesClientsOfARenewedAuthorityBeforeAndAfter() throws IOException {
        AtomicReference<String> source = new AtomicReference<>(pem(ours));
        TrustedAuthority authority = authority(source);
        CertificateAuthority renewed = ours.renewed(now, DAY.multipliedBy(2));

        assertThat(authority.commonName(client(renewed, now, DAY))).contains("scheduler");
        source.set(pem(renewed));
        authority.refresh();
        assertThat(authority.commonName(client(ours, now, DAY))).contains("scheduler");
        assertThat(renewed.certificate().getNotAfter())
                .isAfter(ours.certificate().getNotAfter());
    }

    @Test
    void readsChangedCertificatesAndKeepsThemIfTheNextAreInvalid() throws IOException {
        AtomicReference<String> source = new AtomicReference<>(pem(ours));
        TrustedAuthority authority = authority(source);
        assertThat(authority.commonName(client(ours, now, DAY))).isPresent();

        source.set(pem(foreign));
        authority.refresh();
        assertThat(authority.commonName(client(foreign, now, DAY))).isPresent();
        assertThat(authority.commonName(client(ours, now, DAY))).isEmpty();
        source.set("rubbish");
        authority.refresh();
        assertThat(authority.commonName(client(foreign, now, DAY))).isPresent();
    }

    @Test
    void knowsWhenTheLastCertificateExpires() throws IOException {
        AtomicReference<String> source = new AtomicReference<>(pem(ours));
        TrustedAuthority authority = authority(source);
        assertThat(authority.expiry()).isEqualTo(expiry(ours));

        CertificateAuthority renewed = ours.renewed(now, DAY.multipliedBy(2));
        source.set(pem(renewed) + pem(ours));
        authority.refresh();
        assertThat(authority.expiry()).isEqualTo(expiry(renewed)).isAfter(expiry(ours));
    }

    private static Instant expiry(CertificateAuthority authority) {
        return authority.certificate().getNotAfter().toInstant();
    }

    @Test
    void namesASourceWithoutCertificates() {
        assertThatThrownBy(() -> new TrustedAuthority("file=/ca.crt", () -> "rubbish"))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot use the client CA: file=/ca.crt: no certificate in it; give PEM certificates");
    }

    private static TrustedAuthority authority(AtomicReference<String> source) throws IOException {
        return new TrustedAuthority("test", source::get);
    }

    private static List<X509Certificate> client(CertificateAuthority authority, Instant from, Duration valid) {
        return List.of(authority
                .issue("scheduler", Purpose.CLIENT, List.of(), List.of(), from, valid)
                .certificate());
    }

    private static String pem(CertificateAuthority authority) {
        return Pem.of(List.of(authority.certificate()));
    }
}
