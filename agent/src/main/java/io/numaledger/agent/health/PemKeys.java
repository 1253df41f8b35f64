package io.numaledger.agent.health;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A certificate chain and its key, from PEM files as Kubernetes' TLS secrets have them. */
final class PemKeys {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----", Pattern.DOTALL);

    private PemKeys() {}

    static X509ExtendedKeyManager read(Path certificate, Path key) throws IOException, GeneralSecurityException {
        Certificate[] chain = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificate)))
                .toArray(Certificate[]::new);
        if (chain.length == 0) {
            throw new GeneralSecurityException("the certificate's file has no certificate");
        }
        PrivateKey privateKey = KeyFactory.getInstance(chain[0].getPublicKey().getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(keyBytes(Files.readString(key, StandardCharsets.US_ASCII))));
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("server", privateKey, new char[0], chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return (X509ExtendedKeyManager) factory.getKeyManagers()[0];
    }

    private static byte[] keyBytes(String pem) throws GeneralSecurityException {
        Matcher found = KEY.matcher(pem);
        if (!found.find()) {
            throw new GeneralSecurityException("the key's file has no PRIVATE KEY");
        }
        return Base64.getMimeDecoder().decode(found.group(1));
    }
}
