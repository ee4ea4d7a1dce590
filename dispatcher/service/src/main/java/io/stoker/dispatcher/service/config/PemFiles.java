package io.stoker.dispatcher.service.config;

import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TCPSSLOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.config.Config;

/**
 * By what a server is believed, and by what it believes this client: files in PEM.
 *
 * @param ca certificates of the authorities that are believed
 * @param certificate this client's own, followed by those that lead to its authority
 * @param key its private key, not encrypted
 * @param keyAlgorithm what kind of key that is, such as {@code EC}
 */
public record PemFiles(
    Optional<Path> ca,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<String> keyAlgorithm) {
  public static final PemFiles NONE =
      new PemFiles(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  private static final String CERTIFICATE = "-----BEGIN CERTIFICATE-----";
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----(.+?)-----END PRIVATE KEY-----", Pattern.DOTALL);

  /**
   * As configured by the keys {@code ca}, {@code cert} and {@code key} under another one.
   *
   * @param above that key, such as {@code stoker.redis.tls}
   * @throws IllegalArgumentException that names key and value, if one cannot be read or is of no
   *     use
   */
  public static PemFiles of(Config config, String above) {
    String certificateKey = above + ".cert";
    String keyKey = above + ".key";
    Optional<Path> ca = file(config, above + ".ca");
    Optional<Path> certificate = file(config, certificateKey);
    Optional<Path> key = file(config, keyKey);
    if (certificate.isPresent() != key.isPresent()) {
      throw new IllegalArgumentException(
          "%s is set, and %s is not: a certificate and its key go together"
              .formatted(
                  certificate.isPresent() ? certificateKey : keyKey,
                  certificate.isPresent() ? keyKey : certificateKey));
    }
    ca.ifPresent(file -> first(above + ".ca", file));
    Optional<String> algorithm =
        certificate.map(file -> first(certificateKey, file).getPublicKey().getAlgorithm());
    algorithm.ifPresent(name -> checkKey(keyKey, key.get(), name));
    return new PemFiles(ca, certificate, key, algorithm);
  }

  /** Whether none is configured. */
  public boolean none() {
    return equals(NONE);
  }

  /** Gives them to a client of Vert.x. */
  public void give(TCPSSLOptions client) {
    ca.ifPresent(
        file -> client.setTrustOptions(new PemTrustOptions().addCertPath(file.toString())));
    certificate.ifPresent(
        file ->
            client.setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(file.toString())
                    .addKeyPath(key.orElseThrow().toString())));
  }

  private static Optional<Path> file(Config config, String key) {
    return config
        .getOptionalValue(key, String.class)
        .map(
            value -> {
              try {
                return Path.of(value);
              } catch (InvalidPathException e) {
                throw refused(key, value, "which is no path: " + e.getReason());
              }
            });
  }

  /** The first of its certificates; all of them can be read. */
  private static Certificate first(String key, Path file) {
    String text = text(key, file);
    if (!text.contains(CERTIFICATE)) {
      throw refused(key, file, "which holds no certificate in PEM");
    }
    try {
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(
              new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)))
          .iterator()
          .next();
    } catch (CertificateException | NoSuchElementException e) {
      throw refused(key, file, "whose certificates cannot be read: " + e.getMessage());
    }
  }

  private static String text(String key, Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw refused(key, file, "which cannot be read: " + Fault.sentence(e));
    }
  }

  private static void checkKey(String key, Path file, String algorithm) {
    Matcher pem = KEY.matcher(text(key, file));
    if (!pem.find() || !isKey(pem.group(1), algorithm)) {
      throw refused(
          key,
          file,
          ("expected the private key of the certificate (%s), in PEM (PKCS #8, BEGIN PRIVATE KEY),"
                  + " not encrypted")
              .formatted(algorithm));
    }
  }

  private static boolean isKey(String base64, String algorithm) {
    try {
      byte[] der = Base64.getMimeDecoder().decode(base64);
      KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      return true;
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return false;
    }
  }

  private static IllegalArgumentException refused(String key, Object value, String why) {
    return new IllegalArgumentException("%s is %s, %s".formatted(key, value, why));
  }
}
