package io.stoker.common.security;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads files of PEM (RFC 7468). */
public final class Pem {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----");

  private final String text;

  private Pem(String text) {
    this.text = text;
  }

  /** A file as it is now. */
  public static Pem of(Path file) throws IOException {
    return new Pem(Files.readString(file, StandardCharsets.ISO_8859_1));
  }

  /**
   * Its certificates in their order.
   *
   * @throws CertificateException if there is none, or one cannot be read
   */
  public List<X509Certificate> certificates() throws CertificateException {
    String certificates =
        CERTIFICATE
            .matcher(text)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.joining("\n"));
    if (certificates.isEmpty()) {
      throw new CertificateException("it holds no certificate in PEM");
    }
    byte[] encoded = certificates.getBytes(StandardCharsets.ISO_8859_1);
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(encoded))
        .stream()
        .map(X509Certificate.class::cast)
        .toList();
  }

  /**
   * Its private key.
   *
   * @param algorithm what kind of key it is, such as {@code EC}
   * @throws GeneralSecurityException if there is none in PKCS #8 without a password, or it is of
   *     another kind
   */
  public PrivateKey key(String algorithm) throws GeneralSecurityException {
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
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }
}
