package io.stoker.dispatcher.service.backup;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.Fingerprint;
import io.stoker.dispatcher.service.postgres.Schema;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Reads a backup that is whole. */
final class BackupReader implements AutoCloseable {
  private final Path file;
  private final ZipFile zip;
  private final Manifest manifest;

  /**
   * Opens it.
   *
   * @throws Refused if it is no backup, is damaged, or is from a later build
   */
  BackupReader(Path file) {
    this.file = file;
    if (!Files.exists(file)) {
      throw new Refused("there is no file " + file);
    }
    try {
      zip = new ZipFile(file.toFile());
    } catch (IOException e) {
      throw new Refused("%s is no backup, or not all of one: %s".formatted(file, e.getMessage()));
    }
    try {
      manifest = read(file, zip);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Manifest read(Path file, ZipFile zip) {
    try {
      byte[] json = bytes(zip, BackupWriter.MANIFEST);
      String digest =
          new String(bytes(zip, BackupWriter.MANIFEST_DIGEST), StandardCharsets.US_ASCII);
      if (!Fingerprint.sha256(json).equals(digest)) {
        throw damaged(file, BackupWriter.MANIFEST + " is not what was written");
      }
      JsonNode tree = Json.read(json);
      int format = tree.path("format").asInt();
      if (format != Manifest.FORMAT) {
        throw new Refused(
            "%s has format %d, and this build reads %d: use the build that it is from, or a later one"
                .formatted(file, format, Manifest.FORMAT));
      }
      Manifest manifest = Json.read(tree, Manifest.class);
      String newest = Schema.ofThisBuild().version();
      if (Schema.isLater(manifest.schema(), newest)) {
        throw new Refused(
            "%s has a schema of version %s, and this build knows none later than %s: use the build that it is from, or a later one"
                .formatted(file, manifest.schema(), newest));
      }
      return manifest;
    } catch (IOException | MalformedJson e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static Refused damaged(Path file, String how) {
    return new Refused("%s is damaged: %s".formatted(file, how));
  }

  private static byte[] bytes(ZipFile zip, String name) throws IOException {
    try (InputStream in = open(zip, name)) {
      return in.readAllBytes();
    }
  }

  private static InputStream open(ZipFile zip, String name) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw new FileNotFoundException("it has no " + name);
    }
    return zip.getInputStream(entry);
  }

  Manifest manifest() {
    return manifest;
  }

  /** A table's rows, as they were given by Postgres. */
  InputStream rows(Manifest.Table table) throws IOException {
    return open(zip, BackupWriter.entry(table.name()));
  }

  /**
   * Reads a table to its end.
   *
   * @throws Refused if it is not what was written
   */
  void check(Manifest.Table table) {
    try (InputStream in = rows(table);
        Counted read = new Counted(OutputStream.nullOutputStream())) {
      in.transferTo(read);
      if (read.bytes() != table.bytes() || !read.sha256().equals(table.sha256())) {
        throw damaged(
            file,
            "table %s has %d bytes of %d, or others than were written"
                .formatted(table.name(), read.bytes(), table.bytes()));
      }
    } catch (IOException e) {
      throw damaged(file, "table %s: %s".formatted(table.name(), e.getMessage()));
    }
  }

  @Override
  public void close() {
    try {
      zip.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(file + " cannot be closed", e);
    }
  }
}
