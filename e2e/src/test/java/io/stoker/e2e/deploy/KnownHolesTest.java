package io.stoker.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing is shipped with a hole that is known and mended. */
class KnownHolesTest {
  @ParameterizedTest
  @ValueSource(strings = {"dispatcher/service", "gpu-agent/service"})
  void classPath_ofAService_hasNoKnownHole(String module) throws IOException {
    try (Stream<Path> files =
        Files.walk(Checkout.root().resolve(module).resolve("target/quarkus-app/lib"))) {
      assertNoHole(files.map(Path::getFileName).map(Path::toString).toList());
    }
  }

  /** Of the manifest: the folder of its jars keeps those of earlier builds. */
  @Test
  void classPath_ofTheCommandLine_hasNoKnownHole() throws IOException {
    try (DirectoryStream<Path> found =
            Files.newDirectoryStream(Checkout.root().resolve("cli/target"), "cli-*.jar");
        JarFile jar = new JarFile(found.iterator().next().toFile())) {
      String classPath = jar.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      assertNoHole(List.of(classPath.replace("lib/", "").split(" ")));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "netty-codec-http-4.1.130.Final.jar,             true",
    "io.netty.netty-codec-http-4.1.130.Final.jar,    true",
    "io.netty.netty-codec-http-4.1.139.Final.jar,    false",
    "io.netty.netty-codec-http3-4.1.130.Final.jar,   false",
    "org.apache.kafka.kafka_2.13-4.1.1.jar,          true",
    "org.postgresql.postgresql-42.7.9.jar,           true",
    "org.flywaydb.flyway-database-postgresql-12.0.0.jar, false",
    "commons-io-2.9.0.jar,                           true",
  })
  void jar_ofAVersion_isFoundIfItHasAHole(String jar, boolean found) throws IOException {
    assertThat(!KnownHoles.read().in(List.of(jar)).isEmpty()).isEqualTo(found);
  }

  private static void assertNoHole(List<String> jars) throws IOException {
    assertThat(jars).anyMatch(jar -> jar.contains("kafka-clients-"));
    assertThat(KnownHoles.read().in(jars)).isEmpty();
  }
}
