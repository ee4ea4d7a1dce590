package io.stoker.cli.rest;

import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Who asks, and whom they believe.
 *
 * @param token empty if none is asked for
 * @param ca file of certificates, PEM; empty for those that the Java runtime believes
 */
public record Access(Optional<String> token, Optional<Path> ca) {
  public static final Access NONE = new Access(Optional.empty(), Optional.empty());

  void to(HttpURLConnection connection) {
    token.ifPresent(one -> connection.setRequestProperty("Authorization", "Bearer " + one));
    if (ca.isPresent() && connection instanceof HttpsURLConnection secure) {
      secure.setSSLSocketFactory(believing(ca.get()));
    }
  }

  private static SSLSocketFactory believing(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca-" + number++, one);
      }
      if (number == 0) {
        throw CliException.usage("--ca is %s, which holds no certificate (PEM)".formatted(file));
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls.getSocketFactory();
    } catch (IOException | GeneralSecurityException e) {
      throw CliException.usage(
          "--ca is %s, expected a file of certificates (PEM): %s".formatted(file, e.getMessage()));
    }
  }
}
