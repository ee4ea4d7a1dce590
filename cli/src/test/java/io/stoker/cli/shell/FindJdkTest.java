package io.stoker.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.shell.Shell.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions above 100 stand for "newer than any that this machine may really have". */
class FindJdkTest {
  private static final String FIND = ". \"$0\"/.mvn/find-jdk.sh; find_jdk && echo \"$JAVA_HOME\"";

  @TempDir Path folder;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void anEmptyHomeAndAnOldJavaOnPath() throws IOException {
    // The real path, because that is what links are resolved to.
    folder = folder.toRealPath();
    environment.put("HOME", folder.resolve("home").toString());
    Shell.jdk(folder.resolve("old"), "17.0.15");
    environment.put("PATH", folder.resolve("old/bin") + ":/usr/bin:/bin");
  }

  @Test
  void takesTheJavaHomeThatIsGood() throws Exception {
    Path good = Shell.jdk(folder.resolve("good"), "21");
    Shell.jdk(folder.resolve("home/.jdks/newest"), "199.0.1");
    environment.put("JAVA_HOME", good.toString());

    assertThat(find()).isEqualTo(new Result(0, good.toString()));
  }

  @Test
  void passesOverAJavaHomeThatIsTooOldOrNoJdk() throws Exception {
    Path newest = Shell.jdk(folder.resolve("home/.jdks/newest"), "199.0.1");

    environment.put("JAVA_HOME", folder.resolve("old").toString());
    assertThat(find()).isEqualTo(new Result(0, newest.toString()));
    environment.put("JAVA_HOME", folder.resolve("nothing").toString());
    assertThat(find()).isEqualTo(new Result(0, newest.toString()));
  }

  @Test
  void followsTheLinksOfTheJavaOnPath() throws Exception {
    Path good = Shell.jdk(folder.resolve("good"), "22.0.2");
    Path links = Files.createDirectories(folder.resolve("links"));
    Files.createSymbolicLink(links.resolve("alternative"), good.resolve("bin/java"));
    Files.createSymbolicLink(links.resolve("java"), Path.of("alternative"));
    environment.put("PATH", links + ":/usr/bin:/bin");

    assertThat(find()).isEqualTo(new Result(0, good.toString()));
  }

  @Test
  void takesTheNewestOfTheUsualFolders() throws Exception {
    Shell.jdk(folder.resolve("home/.jdks/a"), "198.9.9");
    Path newest = Shell.jdk(folder.resolve("home/.sdkman/candidates/java/b"), "199.0.1");
    Shell.jdk(folder.resolve("home/.jdks/c"), "199.0.0");
    Files.delete(Shell.jdk(folder.resolve("home/.jdks/jre"), "200").resolve("bin/javac"));

    assertThat(find()).isEqualTo(new Result(0, newest.toString()));
  }

  @Test
  void asksAJdkThatHasNoReleaseFile() throws Exception {
    Path home = Shell.jdk(folder.resolve("home/.jdks/plain"), "199");
    Files.delete(home.resolve("release"));
    Shell.program(home.resolve("bin/java"), "echo 'openjdk version \"199.0.3\" 2200-01-01' >&2");

    assertThat(find()).isEqualTo(new Result(0, home.toString()));
  }

  @Test
  void saysWhatToInstallWhenThereIsNone() throws Exception {
    Result none =
        Shell.run(
            environment,
            List.of(
                "/bin/sh",
                "-c",
                ". \"$0\"/.mvn/find-jdk.sh; STOKER_MIN_JDK=1000; find_jdk || no_jdk_help me",
                Shell.root().toString()));

    assertThat(none.output())
        .startsWith("me: no JDK 1000 or newer found")
        .contains("apt install openjdk-1000-jdk-headless", "set JAVA_HOME");
  }

  private Result find() throws Exception {
    return Shell.run(environment, List.of("/bin/sh", "-c", FIND, Shell.root().toString()));
  }
}
