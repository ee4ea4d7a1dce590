package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A client that is made from the OpenAPI document is compiled, and works. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class GeneratedClientTest {
  private static final Path GENERATOR =
      Checkout.root().resolve("e2e/target/openapi-generator/openapi-generator-cli.jar");

  private static final String STYLE =
      "useSingleRequestParameter=true,openApiNullable=false,annotationLibrary=none,documentationProvider=none,useJakartaEe=true,"
          + "invokerPackage=client,apiPackage=client.api,modelPackage=client.model";

  @TempDir Path folder;

  private final StokerStack stack;

  GeneratedClientTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void aClientMadeFromTheDescriptionIsCompiledAndWorks() throws Exception {
    Path description =
        Files.writeString(
            folder.resolve("openapi.json"), new Rest(stack).get("/q/openapi?format=json"));
    Path client = folder.resolve("client");
    Path classes = Files.createDirectory(folder.resolve("classes"));

    run(
        "java",
        List.of(
            "-jar",
            GENERATOR.toString(),
            "generate",
            "-g",
            "java",
            "--library",
            "native",
            "-i",
            description.toString(),
            "-o",
            client.toString(),
            "--additional-properties=" + STYLE));
    List<String> compile = new ArrayList<>(List.of("-nowarn", "-cp", classPath()));
    compile.addAll(List.of("-d", classes.toString()));
    compile.addAll(sources(client.resolve("src/main/java")));
    compile.add(
        Checkout.root()
            .resolve("e2e/src/test/resources/generated-client/UseTheClient.java")
            .toString());
    run("javac", compile);
    run(
        "java",
        List.of(
            "-cp",
            classes + File.pathSeparator + classPath(),
            "UseTheClient",
            stack.processes().info().url(),
            stack.token().orElse("")));
  }

  /** Of the libraries that such a client works with, as they are among ours. */
  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  private static List<String> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.map(Path::toString).filter(name -> name.endsWith(".java")).toList();
    }
  }

  private void run(String tool, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    command.addAll(arguments);
    Path said = Files.createTempFile(folder, tool, ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      assertThat(process.waitFor(300, TimeUnit.SECONDS)).as(tool + " ends").isTrue();
      assertThat(process.exitValue()).as(Files.readString(said)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }
}
