package io.stoker.e2e.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.common.json.Json;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The example clients as far as they can be run without a broker: the shell ones against a fake
 * kcat, the Python ones' logic, and the Java ones through the compiler.
 */
@BesideTheSharedStack
class ClientsTest {
  private static final Path CLIENTS = Checkout.examples().resolve("clients");

  private static final List<String> STATUSES =
      List.of(
          "a\t{\"id\":\"a\",\"state\":\"RUNNING\",\"version\":5,\"reason\":null}",
          "other\t{\"id\":\"other\",\"state\":\"FAILED\",\"version\":5}",
          "a\tNULL",
          "b\t{\"id\":\"b\",\"state\":\"SUCCEEDED\",\"version\":9}",
          "a\t{\"id\":\"a\",\"state\":\"QUEUED\",\"version\":4}",
          "a\t{\"id\":\"a\",\"state\":\"FAILED\",\"version\":6,\"reason\":\"exit code 7\"}");

  @TempDir Path folder;

  @Test
  void kcatFollowsUntilAllHaveEndedAndDropsWhatIsNotNewer() throws Exception {
    Files.write(folder.resolve("records"), STATUSES);
    fakeKcat("cat '" + folder.resolve("records") + "'\nexec sleep 100\n");
    Program.Ended ended = shell("follow.sh", "a", "b").run();
    assertThat(ended.err()).isEmpty();
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out().lines().map(String::strip))
        .containsExactly("a RUNNING", "b SUCCEEDED", "a FAILED exit code 7");
    assertThat(shell("follow.sh", "b").run().exitCode()).isZero();
  }

  @Test
  void kcatPostsOneLineOfJson() throws Exception {
    fakeKcat("cat > '" + folder.resolve("posted") + "'\n");
    Program.Ended ended = shell("post.sh", "a", "sh", "-c", "echo \"x\\y\"\n\techo z").run();
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    String posted = Files.readString(folder.resolve("posted"));
    assertThat(posted.lines()).hasSize(1);
    assertThat(Json.read(posted.strip()).get("command").get(2).asText())
        .isEqualTo("echo \"x\\y\"\n\techo z");
  }

  @Test
  void pythonFollowsUntilAllHaveEnded() throws Exception {
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    String script =
        """
        import sys
        sys.path.insert(0, sys.argv[1])
        import follow
        lines = [line.split("\\t") for line in open(sys.argv[2])]
        values = [None if v.strip() == "NULL" else v.encode() for _, v in lines]
        for status in follow.changes(values, ["a", "b"]):
            print(status["id"], status["state"])
        """;
    Path records = Files.write(folder.resolve("records"), STATUSES);
    Program.Ended ended =
        Program.of(
                folder,
                "python3",
                "-c",
                script,
                CLIENTS.resolve("python").toString(),
                records.toString())
            .run();
    assertThat(ended.exitCode()).as(ended.err()).isZero();
    assertThat(ended.out().lines()).containsExactly("a RUNNING", "b SUCCEEDED", "a FAILED");
  }

  @ParameterizedTest
  @ValueSource(strings = {"post.py", "follow.py"})
  void pythonSaysHowItIsUsed(String script) throws Exception {
    assumeTrue(Program.exists("python3", "--version"), "no python3 here");
    Program.Ended ended =
        Program.of(folder, "python3", CLIENTS.resolve("python").resolve(script).toString()).run();
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.err()).startsWith("usage: " + script);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Post.java", "Follow.java"})
  void javaCompilesAgainstTheClassPathThatTheReadmeNames(String source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int result =
        compiler.run(
            null,
            null,
            null,
            "-Xlint:all,-classfile,-processing,-path",
            "-proc:none",
            "-d",
            folder.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            CLIENTS.resolve("java").resolve(source).toString());
    assertThat(result).isZero();
  }

  private Program shell(String script, String... arguments) {
    String[] command = new String[arguments.length + 2];
    command[0] = "sh";
    command[1] = CLIENTS.resolve("kcat").resolve(script).toString();
    System.arraycopy(arguments, 0, command, 2, arguments.length);
    return Program.of(folder, command)
        .with("STOKER_BOOTSTRAP", "nowhere:9092")
        .with("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
  }

  private void fakeKcat(String body) throws IOException {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Path kcat = Files.writeString(bin.resolve("kcat"), "#!/bin/sh\n" + body);
    assertThat(kcat.toFile().setExecutable(true)).isTrue();
  }
}
