package io.stoker.cli.rest;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a file of PEM (RFC 7468) holds.
 *
 * @param text all of it
 * @param certificates in their order, at least one
 */
record Pem(String text, List<X509Certificate> certificates) {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");

  static Pem of(Path file) throws IOException, GeneralSecurityException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    StringBuilder certificates = new StringBuilder();
    CERTIFICATE
        .matcher(text)
        .results()
        .forEach(one -> certificates.append(one.group()).append('\n'));
    if (certificates.isEmpty()) {
      throw new GeneralSecurityException("it holds no certificate");
    }
    byte[] encoded = certificates.toString().getBytes(StandardCharsets.ISO_8859_1);
    return new Pem(
        text,
        factory.generateCertificates(new ByteArrayInputStream(encoded)).stream()
            .map(X509Certificate.class::cast)
            .toList());
  }

  /** The key of the first certificate. */
  PrivateKey key() throws GeneralSecurityException {
    Matcher key = KEY.matcher(text);
    if (!key.find()) {
      throw new GeneralSecurityException("it holds no key in PKCS #8 without a password");
    }
    byte[] encoded;
    try {
      encoded = Base64.getMimeDecoder().decode(key.group(1));
    } catch (IllegalArgumentException e) {
      throw new GeneralSecurityException("its key is no base64", e);
    }
    return KeyFactory.getInstance(certificates.getFirst().getPublicKey().getAlgorithm())
        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  /** A store that is in memory alone, and empty. */
  static KeyStore store() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }
}
