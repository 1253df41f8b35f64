package io.numaledger.tls;

import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

import javax.security.auth.x500.X500Principal;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;

/** A certificate authority of its own: its certificate, and the key with which it signs others. All keys are P-256. */
public record CertificateAuthority(X509Certificate certificate, PrivateKey key) {

    /** What a certificate is for. */
    public enum Purpose {
        SERVER,
        CLIENT,
        /** A server that calls others of its kind. */
        PEER;

        private KeyPurposeId[] ids() {
            return switch (this) {
                case SERVER -> new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth};
                case CLIENT -> new KeyPurposeId[] {KeyPurposeId.id_kp_clientAuth};
                case PEER -> new KeyPurposeId[] {KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth};
            };
        }
    }

    /** A certificate with its private key. */
    public record Issued(X509Certificate certificate, PrivateKey key) {}

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SERIAL_BITS = 127;

    /** The clock of the issuer may be ahead, or those of clients behind: a certificate must be of use nevertheless. */
    private static final Duration CLOCK_SKEW = Duration.ofDays(1);

    /** Makes a key, and a certificate for it that the key signs. */
    public static CertificateAuthority create(String name, Instant now, Duration valid) {
        KeyPair pair = newKey();
        return new CertificateAuthority(
                selfSigned(name(name), pair.getPublic(), pair.getPrivate(), now, valid), pair.getPrivate());
    }

    /** This name and key with a new certificate: what this authority has signed stays valid under both. */
    public CertificateAuthority renewed(Instant now, Duration valid) {
        return new CertificateAuthority(
                selfSigned(certificate.getSubjectX500Principal(), certificate.getPublicKey(), key, now, valid), key);
    }

    private static X509Certificate selfSigned(
            X500Principal name, PublicKey publicKey, PrivateKey key, Instant now, Duration valid) {
        try {
            JcaX509v3CertificateBuilder builder = builder(name, name, publicKey, now, now.plus(valid));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            return sign(builder, key);
        } catch (CertIOException e) {
            throw new IllegalStateException("cannot encode a certificate: name=%s".formatted(name), e);
        }
    }

    /**
     * Signs a certificate for a new key.
     *
     * @param commonName the subject
     * @param dnsNames under which a server is reached; empty for a client
     * @param addresses IP addresses under which a server is reached
     * @param valid how long; ends with the authority's own certificate at the latest
     */
    public Issued issue(
            String commonName,
            Purpose purpose,
            List<String> dnsNames,
            List<String> addresses,
            Instant now,
            Duration valid) {
        KeyPair pair = newKey();
        Instant end = certificate.getNotAfter().toInstant();
        Instant notAfter = now.plus(valid).isBefore(end) ? now.plus(valid) : end;
        try {
            JcaX509v3CertificateBuilder builder =
                    builder(certificate.getSubjectX500Principal(), name(commonName), pair.getPublic(), now, notAfter);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose.ids()));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate.getPublicKey()));
            List<GeneralName> names = Stream.concat(
                            dnsNames.stream().map(name -> new GeneralName(GeneralName.dNSName, name)),
                            addresses.stream().map(address -> new GeneralName(GeneralName.iPAddress, address)))
                    .toList();
            if (!names.isEmpty()) {
                builder.addExtension(
                        Extension.subjectAlternativeName, false, new GeneralNames(names.toArray(new GeneralName[0])));
            }
            return new Issued(sign(builder, key), pair.getPrivate());
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot encode a certificate: name=%s".formatted(commonName), e);
        }
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Principal issuer, X500Principal subject, PublicKey publicKey, Instant now, Instant notAfter) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, RANDOM),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(notAfter),
                subject,
                publicKey);
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("the Java runtime cannot sign with ECDSA; use another one", e);
        }
    }

    private static X500Principal name(String commonName) {
        try {
            return new X500Principal(
                    new X500NameBuilder().addRDN(BCStyle.CN, commonName).build().getEncoded());
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode a name: name=%s".formatted(commonName), e);
        }
    }

    private static KeyPair newKey() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the Java runtime has no P-256; use another one", e);
        }
    }
}
