package io.stoker.dispatcher.service.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A certificate for 127.0.0.1, whose authority it is itself, as files in PEM.
 *
 * @param key not encrypted, for its owner alone
 */
public record SelfSigned(Path certificate, Path key) {
  /** Makes one. */
  public static SelfSigned make(Path folder, String name) {
    try {
      Path certificate = Certified.authority(folder, name);
      Path key =
          Files.createFile(
              folder.resolve(name + ".key.pem"),
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      return new SelfSigned(certificate, Files.writeString(key, Certified.key(folder, name)));
    } catch (IOException e) {
      throw new IllegalStateException("no certificate " + name, e);
    }
  }
}
