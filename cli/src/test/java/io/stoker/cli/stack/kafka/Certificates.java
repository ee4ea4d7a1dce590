package io.stoker.cli.stack.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates for 127.0.0.1, each its own authority, in files of a folder. */
record Certificates(Path folder) {
  static final String PASSWORD = "changeit";

  /** Makes one: {@code NAME.p12}, {@code NAME-ca.pem}, and {@code NAME.pem} with the key, too. */
  void make(String name) throws IOException, GeneralSecurityException, InterruptedException {
    keytool(
        name,
        "-genkeypair -alias own -keyalg EC -groupname secp256r1 -ext bc:c -ext SAN=ip:127.0.0.1"
            + " -dname CN="
            + name);
    keytool(name, "-exportcert -rfc -alias own -file " + authority(name));
    Files.writeString(folder.resolve(name + ".pem"), key(name) + Files.readString(authority(name)));
  }

  Path authority(String name) {
    return folder.resolve(name + "-ca.pem");
  }

  Path keystore(String name) {
    return folder.resolve(name + ".p12");
  }

  private String key(String name) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keystore(name))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    byte[] encoded = keys.getKey("own", PASSWORD.toCharArray()).getEncoded();
    return "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
        .formatted(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded));
  }

  private void keytool(String name, String arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", keystore(name).toString()));
    Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(tool.getInputStream().readAllBytes());
    if (tool.waitFor() != 0) {
      throw new IOException(said);
    }
  }
}
