package io.numaledger.tls;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.util.io.pem.PemObjectGenerator;

import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Certificates and keys as PEM text. */
public final class Pem {

    private Pem() {}

    /** Certificates, one after another. */
    public static String of(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        certificates.forEach(certificate -> text.append(block(certificate)));
        return text.toString();
    }

    /** A private key in PKCS #8, not encrypted. */
    public static String of(PrivateKey key) {
        try {
            return block(new JcaPKCS8Generator(key, null));
        } catch (IOException e) {
            throw new IllegalStateException("cannot encode a private key: algorithm=" + key.getAlgorithm(), e);
        }
    }

    private static String block(Object object) {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            if (object instanceof PemObjectGenerator generator) {
                writer.writeObject(generator);
            } else {
                writer.writeObject(object);
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot write to a string", e);
        }
        return text.toString();
    }

    /**
     * The certificates in a text; other blocks are ignored.
     *
     * @throws GeneralSecurityException if there is none, or one cannot be read
     */
    public static List<X509Certificate> certificates(String text) throws GeneralSecurityException {
        List<X509Certificate> certificates = new ArrayList<>();
        try {
            for (Object block : blocks(new StringReader(text))) {
                if (block instanceof X509CertificateHolder holder) {
                    certificates.add(new JcaX509CertificateConverter().getCertificate(holder));
                }
            }
        } catch (IOException e) {
            throw new GeneralSecurityException("not PEM: " + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("no certificate in it");
        }
        return certificates;
    }

    /**
     * The first private key in a text.
     *
     * @throws GeneralSecurityException if there is none in PKCS #8, not encrypted
     */
    public static PrivateKey privateKey(String text) throws GeneralSecurityException {
        try {
            for (Object block : blocks(new StringReader(text))) {
                if (block instanceof PrivateKeyInfo info) {
                    return new JcaPEMKeyConverter().getPrivateKey(info);
                }
            }
        } catch (IOException e) {
            throw new GeneralSecurityException("not PEM: " + e.getMessage(), e);
        }
        throw new GeneralSecurityException("no private key in it");
    }

    static List<Object> blocks(Reader text) throws IOException {
        List<Object> blocks = new ArrayList<>();
        try (PEMParser parser = new PEMParser(text)) {
            for (Object block = parser.readObject(); block != null; block = parser.readObject()) {
                blocks.add(block);
            }
        }
        return blocks;
    }
}
