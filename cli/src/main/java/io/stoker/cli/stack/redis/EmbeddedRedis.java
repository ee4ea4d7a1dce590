package io.stoker.cli.stack.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoker.cli.local.BuildInfo;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.PrivateFile;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.ChildSpec;
import io.stoker.cli.stack.child.Guard;
import io.stoker.cli.stack.child.Unpacked;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/** The Redis child: a real server that writes nothing to disk, for Redis may vanish at any time. */
public final class EmbeddedRedis {
  public static final String NAME = "redis";

  private EmbeddedRedis() {}

  /**
   * One that takes nobody without the password, which stands in a file for its owner alone: a
   * command line can be read by all.
   */
  public static ChildSpec spec(DataFolder data, Path cache, int port, String password)
      throws IOException {
    Path file = data.workFolder(NAME).resolve("redis.conf");
    PrivateFile.write(file, "requirepass %s\n".formatted(password).getBytes(UTF_8));
    List<String> command =
        List.of(
            server(cache),
            file.toString(),
            "--bind",
            "127.0.0.1",
            "--port",
            Integer.toString(port),
            "--save",
            "",
            "--appendonly",
            "no",
            // What is forgotten is read from Postgres again.
            "--maxmemory",
            "256mb",
            "--maxmemory-policy",
            "allkeys-lru");
    return ChildSpec.of(
        NAME,
        Role.REDIS,
        command,
        Map.of(),
        data.workFolder(NAME),
        data.log(NAME),
        Duration.ofSeconds(5));
  }

  private static String server(Path cache) throws IOException {
    OsArchitecture here = OsArchitecture.detectOSandArchitecture();
    String resource = ExecutableProvider.newProvidedVersionsMap().get(here);
    if (resource == null) {
      return Guard.onPath("redis-server")
          .orElseThrow(
              () ->
                  new IOException(
                      "no Redis is carried for %s %s: put redis-server on PATH"
                          .formatted(here.os, here.arch)));
    }
    Path folder =
        Unpacked.folder(
            cache.resolve("redis-" + BuildInfo.redisVersion()), into -> unpack(resource, into));
    return folder.resolve("redis-server").toString();
  }

  private static void unpack(String resource, Path into) throws IOException {
    Path server = into.resolve("redis-server");
    try (InputStream in = ExecutableProvider.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("the class path lacks " + resource);
      }
      Files.copy(in, server);
    }
    Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
