package io.stoker.dispatcher.service.backup;

import io.stoker.common.json.Json;
import io.stoker.common.request.Fingerprint;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a backup beside its place and moves it there when it is whole and on the disk: who finds a
 * file of that name finds a whole one. Its owner alone may read it, as it has what jobs are given.
 */
final class BackupWriter implements AutoCloseable {
  static final String MANIFEST = "manifest.json";
  static final String MANIFEST_DIGEST = "manifest.sha256";

  private static final String PARTIAL = ".partial";

  /** Without anything written, nobody writes it any more. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Path file;
  private final Path partial;
  private final FileChannel channel;
  private final ZipOutputStream zip;

  BackupWriter(Path file) throws IOException {
    this.file = file;
    String prefix = "." + file.getFileName() + ".";
    removeLeft(file.getParent(), prefix);
    // A name of its own: another one may be on its way to the same file.
    partial =
        Files.createTempFile(
            file.getParent(),
            prefix,
            PARTIAL,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    // Whoever is told to end does not come to close it.
    partial.toFile().deleteOnExit();
    channel = FileChannel.open(partial, StandardOpenOption.WRITE);
    zip = new ZipOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16));
    zip.setLevel(Deflater.BEST_SPEED);
  }

  /** What was killed leaves its part of a backup behind. */
  private static void removeLeft(Path folder, String prefix) throws IOException {
    FileTime since = FileTime.from(Instant.now().minus(ABANDONED));
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path one : all) {
        String name = one.getFileName().toString();
        if (name.startsWith(prefix)
            && name.endsWith(PARTIAL)
            && Files.getLastModifiedTime(one).compareTo(since) < 0) {
          Files.deleteIfExists(one);
        }
      }
    }
  }

  static String entry(String table) {
    return "tables/" + table + ".copy";
  }

  /** Where the next table's rows are to be written; to be closed before anything else is. */
  Counted table(String name) throws IOException {
    zip.putNextEntry(new ZipEntry(entry(name)));
    return new Counted(zip);
  }

  /** All tables are written: the file is there from now on. */
  void finish(Manifest manifest) throws IOException {
    byte[] json = Json.bytes(manifest);
    add(MANIFEST, json);
    add(MANIFEST_DIGEST, Fingerprint.sha256(json).getBytes(StandardCharsets.US_ASCII));
    zip.finish();
    zip.flush();
    channel.force(true);
    Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
      folder.force(true);
    }
  }

  private void add(String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    try (OutputStream entry = new Counted(zip)) {
      entry.write(content);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(partial);
  }
}
