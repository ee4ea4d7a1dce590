package io.stoker.cli.rest;

import io.stoker.cli.outcome.CliException;
import io.stoker.common.security.Pem;
import io.stoker.common.text.FileTrouble;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * The credentials of a client, and the certificates that it trusts.
 *
 * @param token empty if none is asked for
 * @param ca file of certificates, PEM; empty for those that the Java runtime believes
 * @param certificate file with the own certificate and its key, PEM; empty for none
 */
public record Access(Optional<String> token, Optional<Path> ca, Optional<Path> certificate) {
  /**
   * Whitespace around the token is left out.
   *
   * @throws CliException with exit code 2 if there are control characters in it
   */
  public Access {
    token = token.map(String::strip);
    if (token.filter(one -> one.chars().anyMatch(Character::isISOControl)).isPresent()) {
      throw CliException.usage(
          "the token has a line's end or another control character in it, expected one line");
    }
  }

  public static final Access NONE =
      new Access(Optional.empty(), Optional.empty(), Optional.empty());

  /**
   * Who has the token in a file.
   *
   * @param file null for none
   * @throws CliException with exit code 2 if it cannot be read
   */
  public static Access byTokenIn(String file) {
    if (file == null) {
      return NONE;
    }
    try {
      String token = Files.readString(Path.of(file));
      return new Access(Optional.of(token), Optional.empty(), Optional.empty());
    } catch (IOException e) {
      throw CliException.usage("the token cannot be read: " + FileTrouble.text(e));
    }
  }

  void to(HttpURLConnection connection) {
    token.ifPresent(one -> connection.setRequestProperty("Authorization", "Bearer " + one));
    if ((ca.isPresent() || certificate.isPresent())
        && connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(sockets());
    }
  }

  private SSLSocketFactory sockets() {
    TrustManager[] believed = ca.map(Access::believing).orElse(null);
    KeyManager[] own = certificate.map(Access::own).orElse(null);
    try {
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(own, believed, null);
      return tls.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has TLS", e);
    }
  }

  private static TrustManager[] believing(Path file) {
    try {
      KeyStore store = store();
      int number = 0;
      for (X509Certificate one : Pem.of(file).certificates()) {
        store.setCertificateEntry("ca-" + number++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      return trust.getTrustManagers();
    } catch (IOException | GeneralSecurityException e) {
      throw CliException.usage(
          "--ca is %s, expected a file of certificates (PEM): %s".formatted(file, e.getMessage()));
    }
  }

  /** One that is in memory alone, and empty. */
  private static KeyStore store() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  private static KeyManager[] own(Path file) {
    try {
      Pem pem = Pem.of(file);
      X509Certificate[] chain = pem.certificates().toArray(X509Certificate[]::new);
      KeyStore store = store();
      char[] nothing = new char[0];
      store.setKeyEntry("own", pem.key(chain[0].getPublicKey().getAlgorithm()), nothing, chain);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, nothing);
      return keys.getKeyManagers();
    } catch (IOException | GeneralSecurityException e) {
      throw CliException.usage(
          "--cert is %s, expected a certificate and its key (PEM, PKCS #8): %s"
              .formatted(file, e.getMessage()));
    }
  }
}
