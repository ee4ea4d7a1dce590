package io.stoker.cli.stack.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Certificates for 127.0.0.1, each its own authority, in files of a folder. */
record Certificates(Path folder) {
  static final String PASSWORD = "changeit";

  /** Makes one: {@code NAME.p12}, {@code NAME-ca.pem}, and {@code NAME.pem} with the key, too. */
  void make(String name) throws IOException {
    Keystore store = new Keystore(keystore(name), PASSWORD);
    store.generate(name, "-ext", "bc:c", "-ext", "SAN=ip:127.0.0.1");
    Files.writeString(authority(name), store.certificate());
    Files.writeString(folder.resolve(name + ".pem"), store.key() + store.certificate());
  }

  Path authority(String name) {
    return folder.resolve(name + "-ca.pem");
  }

  Path keystore(String name) {
    return folder.resolve(name + ".p12");
  }
}
