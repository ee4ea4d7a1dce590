package io.stoker.dispatcher.service.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;

/** Makes authorities, and the certificates of callers that these sign. */
public final class Certified {
  private static final String PASSWORD = "changeit";
  private static final String KEY = "-genkeypair -alias %s -keyalg EC -groupname secp256r1";

  private Certified() {}

  /** Makes an authority, which may be a server on 127.0.0.1 itself; its certificate. */
  public static Path authority(Path folder, String name) throws IOException {
    Path store = folder.resolve(name + ".p12");
    keytool(store, KEY.formatted("own") + " -ext bc:c -ext SAN=ip:127.0.0.1 -dname CN=" + name);
    Path certificate = folder.resolve(name + "-ca.pem");
    keytool(store, "-exportcert -rfc -alias own -file " + certificate);
    return certificate;
  }

  /** Makes {@code NAME.pem}, which holds a certificate of CN=NAME and its key. */
  public static void certificate(Path folder, String authority, String name) throws IOException {
    Path store = folder.resolve(name + ".p12");
    Path wish = folder.resolve(name + ".csr");
    Path certificate = folder.resolve(name + ".crt");
    keytool(store, KEY.formatted("own") + " -dname CN=" + name);
    keytool(store, "-certreq -alias own -file " + wish);
    keytool(
        folder.resolve(authority + ".p12"),
        "-gencert -alias own -rfc -infile %s -outfile %s".formatted(wish, certificate));
    Files.writeString(folder.resolve(name + ".pem"), Files.readString(certificate) + key(store));
  }

  /** The key of what was made under a name, PEM. */
  static String key(Path folder, String name) throws IOException {
    return key(folder.resolve(name + ".p12"));
  }

  private static String key(Path store) throws IOException {
    Base64.Encoder lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
    return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
        .formatted(lines.encodeToString(privateKey(store).getEncoded()));
  }

  /**
   * Connections that send a certificate whether the server believes its authority or not.
   *
   * @param name of the certificate
   * @param ca the server's
   */
  public static SSLSocketFactory sending(Path folder, String name, Path ca)
      throws IOException, GeneralSecurityException {
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    X509Certificate[] chain;
    KeyStore believed = KeyStore.getInstance("PKCS12");
    believed.load(null, null);
    try (InputStream own = Files.newInputStream(folder.resolve(name + ".crt"));
        InputStream server = Files.newInputStream(ca)) {
      chain = factory.generateCertificates(own).toArray(X509Certificate[]::new);
      believed.setCertificateEntry("server", factory.generateCertificate(server));
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry("own", privateKey(folder.resolve(name + ".p12")), new char[0], chain);
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, new char[0]);
    X509ExtendedKeyManager asked = (X509ExtendedKeyManager) managers.getKeyManagers()[0];
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(believed);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(new KeyManager[] {new Unasked(asked)}, trust.getTrustManagers(), null);
    return tls.getSocketFactory();
  }

  /** What a server has that is an authority itself, by its name. */
  public static SSLContext serving(Path folder, String authority)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(authority + ".p12"))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers = KeyManagerFactory.getInstance("SunX509");
    managers.init(keys, PASSWORD.toCharArray());
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

  private static PrivateKey privateKey(Path store) throws IOException {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      return (PrivateKey) keys.getKey("own", PASSWORD.toCharArray());
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static void keytool(Path store, String arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    command.addAll(
        List.of("-storetype", "PKCS12", "-keystore", store.toString(), "-storepass", PASSWORD));
    Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.onExit().join().exitValue() != 0) {
      throw new IOException(said);
    }
  }
}
