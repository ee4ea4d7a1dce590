package io.stoker.dispatcher.service.access;

import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.stoker.dispatcher.service.config.PemFiles;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemTrustOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * Has callers by HTTPS asked for a certificate, and reads whose it is. Who has none may still send
 * a token; one that none of the authorities signed ends the connection.
 */
@ApplicationScoped
public class ClientCertificates implements HttpServerOptionsCustomizer {
  private static final String KEY = "stoker.http.client-ca";

  private final Optional<Path> authorities;

  ClientCertificates(StokerConfig config) {
    authorities = config.http().clientCa();
  }

  /** Does not start with a file that holds no certificates. */
  void start(@Observes StartupEvent event) {
    authorities.ifPresent(file -> PemFiles.first(KEY, file));
  }

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    authorities.ifPresent(
        file ->
            options
                .setClientAuth(ClientAuth.REQUEST)
                .setTrustOptions(new PemTrustOptions().addCertPath(file.toString())));
  }

  /** The common name (CN) of the certificate that a call's connection was opened with. */
  public static Optional<String> name(HttpServerRequest call) {
    SSLSession session = call.sslSession();
    if (session == null) {
      return Optional.empty();
    }
    try {
      Certificate own = session.getPeerCertificates()[0];
      return own instanceof X509Certificate certificate
          ? commonName(certificate.getSubjectX500Principal().getName())
          : Optional.empty();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }

  /** Of a distinguished name (RFC 2253); its last one, which is the most particular. */
  private static Optional<String> commonName(String distinguished) {
    try {
      return new LdapName(distinguished)
          .getRdns().reversed().stream()
              .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
              .findFirst()
              .map(Rdn::getValue)
              .map(Object::toString);
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }
}
