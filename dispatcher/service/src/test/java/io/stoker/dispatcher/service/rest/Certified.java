package io.stoker.dispatcher.service.rest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Makes authorities, and the certificates of callers that these sign. */
final class Certified {
  private static final String PASSWORD = "changeit";
  private static final String KEY = "-genkeypair -alias %s -keyalg EC -groupname secp256r1";

  private Certified() {}

  /** Makes an authority; its certificate. */
  static Path authority(Path folder, String name) throws IOException {
    Path store = folder.resolve(name + ".p12");
    keytool(store, KEY.formatted("own") + " -ext bc:c -dname CN=" + name);
    Path certificate = folder.resolve(name + "-ca.pem");
    keytool(store, "-exportcert -rfc -alias own -file " + certificate);
    return certificate;
  }

  /** Makes {@code NAME.pem}, which holds a certificate of CN=NAME and its key. */
  static void certificate(Path folder, String authority, String name) throws IOException {
    Path store = folder.resolve(name + ".p12");
    Path wish = folder.resolve(name + ".csr");
    Path certificate = folder.resolve(name + ".crt");
    keytool(store, KEY.formatted("own") + " -dname CN=" + name);
    keytool(store, "-certreq -alias own -file " + wish);
    keytool(
        folder.resolve(authority + ".p12"),
        "-gencert -alias own -rfc -infile %s -outfile %s".formatted(wish, certificate));
    String key =
        "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
            .formatted(Base64.getMimeEncoder(64, new byte[] {10}).encodeToString(key(store)));
    Files.writeString(folder.resolve(name + ".pem"), Files.readString(certificate) + key);
  }

  private static byte[] key(Path store) throws IOException {
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      return keys.getKey("own", PASSWORD.toCharArray()).getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  static void keytool(Path store, String arguments) throws IOException {
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
