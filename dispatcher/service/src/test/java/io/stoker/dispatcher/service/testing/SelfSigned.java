package io.stoker.dispatcher.service.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1, whose authority it is itself, as files in PEM.
 *
 * @param key not encrypted, for its owner alone
 */
public record SelfSigned(Path certificate, Path key) {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "it";

  /** Makes one by the JDK's own tool. */
  public static SelfSigned make(Path folder, String name) {
    Path store = folder.resolve(name + ".p12");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=" + name,
            "-ext",
            "SAN=ip:127.0.0.1",
            "-ext",
            "BC=ca:true",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    try {
      Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (tool.waitFor() != 0) {
        throw new IllegalStateException("keytool: " + said);
      }
      return read(store, folder, name);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("no certificate " + name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static SelfSigned read(Path store, Path folder, String name)
      throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    Key key = keys.getKey(ALIAS, PASSWORD.toCharArray());
    Path keyFile =
        Files.createFile(
            folder.resolve(name + ".key.pem"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(keyFile, pem("PRIVATE KEY", key.getEncoded()));
    Path certificate = folder.resolve(name + ".pem");
    Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded()));
    return new SelfSigned(certificate, keyFile);
  }

  private static String pem(String what, byte[] der) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(what, lines, what);
  }
}
