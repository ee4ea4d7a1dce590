package io.stoker.cli.stack.postgres;

import io.stoker.cli.local.BuildInfo;
import io.stoker.cli.stack.child.Unpacked;
import io.zonky.test.db.postgres.util.ArchUtils;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL's own programs, unpacked from the class path into a cache. */
final class PostgresBinaries {
  private final Path folder;

  private PostgresBinaries(Path folder) {
    this.folder = folder;
  }

  static PostgresBinaries unpack(Path cache) throws IOException {
    String system = systemName();
    String architecture = System.getProperty("os.arch").replace("amd64", "x86_64");
    String name = "postgres-%s-%s-%s".formatted(BuildInfo.postgresVersion(), system, architecture);
    return new PostgresBinaries(
        Unpacked.folder(
            cache.resolve(name.toLowerCase(Locale.ROOT)),
            into -> {
              try (InputStream in = archive(system, ArchUtils.normalize(architecture))) {
                untar(in, into);
              }
            }));
  }

  /**
   * Makes sure that there is one for this machine.
   *
   * @throws IOException if there is none
   */
  static void find() throws IOException {
    String architecture = System.getProperty("os.arch").replace("amd64", "x86_64");
    archive(systemName(), ArchUtils.normalize(architecture)).close();
  }

  /**
   * The archive for this machine, for its distribution of Linux if there is one. It is the first on
   * the class path: tests have it there twice, since the command line's jar names its own copy.
   */
  private static InputStream archive(String system, String architecture) throws IOException {
    String plain = "postgres-%s-%s".formatted(system, architecture);
    return Stream.of(plain + "-" + LinuxUtils.getDistributionName(), plain)
        .map(name -> "/" + name.replace(' ', '_').toLowerCase(Locale.ROOT) + ".txz")
        .map(PostgresBinaries.class::getResourceAsStream)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow(() -> new IOException("there is no PostgreSQL for " + plain));
  }

  String program(String name) {
    return folder.resolve("bin").resolve(name).toString();
  }

  private static void untar(InputStream compressed, Path into) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(compressed)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path target = into.resolve(entry.getName()).normalize();
        if (!target.startsWith(into)) {
          throw new IOException("%s leads out of the archive".formatted(entry.getName()));
        }
        place(tar, entry, target);
      }
    }
  }

  private static void place(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
      throws IOException {
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      return;
    }
    Files.createDirectories(target.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
    } else {
      Files.copy(tar, target);
      boolean executable = (entry.getMode() & 0100) != 0;
      Files.setPosixFilePermissions(
          target, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
    }
  }

  private static String systemName() {
    String name = System.getProperty("os.name");
    return name.startsWith("Mac") ? "Darwin" : name;
  }
}
