package io.stoker.dispatcher.service.config;

import io.stoker.common.security.Pem;
import io.stoker.dispatcher.runtime.Fault;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TCPSSLOptions;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
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

  /**
   * The first of a file's certificates; all of them can be read.
   *
   * @param key by which the file is configured
   * @throws IllegalArgumentException that names key and file, if there is none
   */
  public static X509Certificate first(String key, Path file) {
    try {
      return Pem.of(file).certificates().getFirst();
    } catch (IOException e) {
      throw refused(key, file, "which cannot be read: " + Fault.sentence(e));
    } catch (CertificateException e) {
      throw refused(key, file, "whose certificates cannot be read: " + e.getMessage());
    }
  }

  private static void checkKey(String key, Path file, String algorithm) {
    try {
      Pem.of(file).key(algorithm);
    } catch (IOException e) {
      throw refused(key, file, "which cannot be read: " + Fault.sentence(e));
    } catch (GeneralSecurityException e) {
      throw refused(
          key,
          file,
          ("expected the private key of the certificate (%s), in PEM (PKCS #8, BEGIN PRIVATE KEY),"
                  + " not encrypted")
              .formatted(algorithm));
    }
  }

  private static IllegalArgumentException refused(String key, Object value, String why) {
    return new IllegalArgumentException("%s is %s, %s".formatted(key, value, why));
  }
}
