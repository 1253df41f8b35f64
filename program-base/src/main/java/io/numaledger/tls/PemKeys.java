package io.numaledger.tls;

import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;

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
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;

/** Reads a certificate chain and its private key from PEM files. */
final class PemKeys {

    private PemKeys() {}

    /**
     * Reads both files, which may be the same.
     *
     * @param certificate the server's certificate first, then its issuers; other PEM blocks are ignored
     * @param key a key in PKCS #8, PKCS #1 or SEC 1, not encrypted; other PEM blocks are ignored
     * @param alias names the pair in the result; lower case
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if a file lacks what it should contain, or the key does not belong to the certificate
     */
    static X509ExtendedKeyManager read(Path certificate, Path key, String alias)
            throws IOException, GeneralSecurityException {
        List<X509CertificateHolder> chain = blocks(certificate).stream()
                .filter(X509CertificateHolder.class::isInstance)
                .map(X509CertificateHolder.class::cast)
                .toList();
        if (chain.isEmpty()) {
            throw new GeneralSecurityException("%s contains no certificate".formatted(certificate.getFileName()));
        }
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Certificate[] certificates = new Certificate[chain.size()];
        for (int i = 0; i < certificates.length; i++) {
            certificates[i] = factory.generateCertificate(
                    new ByteArrayInputStream(chain.get(i).getEncoded()));
        }
        PrivateKey privateKey = privateKey(key(key), chain.get(0), certificates[0].getPublicKey());
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry(alias, privateKey, new char[0], certificates);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        return (X509ExtendedKeyManager) managers.getKeyManagers()[0];
    }

    /** A SEC 1 key may lack the parameters of its curve; the certificate has them. */
    private static PrivateKey privateKey(PrivateKeyInfo info, X509CertificateHolder holder, PublicKey publicKey)
            throws IOException, GeneralSecurityException {
        AlgorithmIdentifier algorithm = holder.getSubjectPublicKeyInfo().getAlgorithm();
        if (!info.getPrivateKeyAlgorithm().getAlgorithm().equals(algorithm.getAlgorithm())) {
            throw new GeneralSecurityException("the key does not belong to the certificate");
        }
        PrivateKey privateKey = KeyFactory.getInstance(publicKey.getAlgorithm())
                .generatePrivate(
                        new PKCS8EncodedKeySpec(new PrivateKeyInfo(algorithm, info.parsePrivateKey()).getEncoded()));
        byte[] probe = {1};
        Signature signature = Signature.getInstance(
                switch (publicKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> publicKey.getAlgorithm();
                });
        signature.initSign(privateKey);
        signature.update(probe);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(probe);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("the key does not belong to the certificate");
        }
        return privateKey;
    }

    private static PrivateKeyInfo key(Path file) throws IOException, GeneralSecurityException {
        for (Object block : blocks(file)) {
            if (block instanceof PrivateKeyInfo info) {
                return info;
            }
            if (block instanceof PEMKeyPair pair) {
                return pair.getPrivateKeyInfo();
            }
            if (block instanceof PEMEncryptedKeyPair || block instanceof PKCS8EncryptedPrivateKeyInfo) {
                throw new GeneralSecurityException("the key in %s is encrypted".formatted(file.getFileName()));
            }
        }
        throw new GeneralSecurityException("%s contains no private key".formatted(file.getFileName()));
    }

    private static List<Object> blocks(Path file) throws IOException {
        return Pem.blocks(Files.newBufferedReader(file, StandardCharsets.ISO_8859_1));
    }
}
