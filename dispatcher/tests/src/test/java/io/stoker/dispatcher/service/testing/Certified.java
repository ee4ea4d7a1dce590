package io.stoker.dispatcher.service.testing;

import io.stoker.cli.stack.kafka.Keystore;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** Makes authorities, and the certificates of callers that these sign. */
public final class Certified {
  private static final String PASSWORD = "changeit";

  private Certified() {}

  private static Keystore store(Path folder, String name) {
    return new Keystore(folder.resolve(name + ".p12"), PASSWORD);
  }

  /** Makes an authority, which may be a server on 127.0.0.1 itself; its certificate. */
  public static Path authority(Path folder, String name) throws IOException {
    Keystore store = store(folder, name);
    store.generate(name, "-ext", "bc:c", "-ext", "SAN=ip:127.0.0.1");
    return Files.writeString(folder.resolve(name + "-ca.pem"), store.certificate());
  }

  /** Makes {@code NAME.pem}, which holds a certificate of CN=NAME and its key. */
  public static void certificate(Path folder, String authority, String name) throws IOException {
    Keystore store = store(folder, name);
    Path wish = folder.resolve(name + ".csr");
    Path certificate = folder.resolve(name + ".crt");
    store.generate(name);
    store.keytool("-certreq", "-file", wish.toString());
    store(folder, authority)
        .keytool(
            "-gencert", "-rfc", "-infile", wish.toString(), "-outfile", certificate.toString());
    Files.writeString(folder.resolve(name + ".pem"), Files.readString(certificate) + store.key());
  }

  /** The key of what was made under a name, PEM. */
  static String key(Path folder, String name) throws IOException {
    return store(folder, name).key();
  }

  /**
   * Connections that send a certificate whether the server believes its authority or not.
   *
   * @param name of the certificate
   * @param ca the server's
   */
  public static SSLContext sending(Path folder, String name, Path ca)
      throws IOException, GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] chain;
    KeyStore believed = KeyStore.getInstance("PKCS12");
    believed.load(null, null);
    try (InputStream signed = Files.newInputStream(folder.resolve(name + ".crt"));
        InputStream server = Files.newInputStream(ca)) {
      chain = factory.generateCertificates(signed).toArray(X509Certificate[]::new);
      believed.setCertificateEntry("server", factory.generateCertificate(server));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    Key own = store(folder, name).open().getKey("own", PASSWORD.toCharArray());
    keys.setKeyEntry("own", own, new char[0], chain);
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, new char[0]);
    X509ExtendedKeyManager asked = (X509ExtendedKeyManager) managers.getKeyManagers()[0];
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(believed);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(new KeyManager[] {new Unasked(asked)}, trust.getTrustManagers(), null);
    return tls;
  }

  /** What a server has that is an authority itself, by its name. */
  public static SSLContext serving(Path folder, String authority)
      throws IOException, GeneralSecurityException {
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(store(folder, authority).open(), PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    return tls;
  }

  private static final class Unasked extends X509ExtendedKeyManager {
    private final X509ExtendedKeyManager keys;

    Unasked(X509ExtendedKeyManager keys) {
      this.keys = keys;
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return "own";
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return new String[] {"own"};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return keys.getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return keys.getPrivateKey(alias);
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return new String[0];
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return null;
    }
  }
}
