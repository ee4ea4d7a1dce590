package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.Main;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class TokenCommandTest {
  @TempDir Path folder;

  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  @Test
  void create_aToken_isPrintedOnceAndKeptHashed() throws IOException, MalformedJson {
    assertThat(run("create", "ann", "--role", "submit", "--queue", "lab", "--expires", "90d"))
        .isEqualTo(ExitCode.DONE);
    String token = out.toString().strip();

    Token kept = kept().find(token, Instant.now()).orElseThrow();
    assertThat(kept.name()).isEqualTo("ann");
    assertThat(kept.queues()).containsExactly("lab");
    assertThat(kept.isOver(Instant.now().plus(91, ChronoUnit.DAYS))).isTrue();
    assertThat(kept.isOver(Instant.now().plus(89, ChronoUnit.DAYS))).isFalse();
    assertThat(Files.readString(file())).doesNotContain(token);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");

    out = new StringWriter();
    assertThat(run("list")).isEqualTo(ExitCode.DONE);
    assertThat(out.toString()).contains("ann", "submit", "lab").doesNotContain(kept.hash());
  }

  @Test
  void create_ifMissing_makesATokenOnce() throws IOException, MalformedJson {
    assertThat(run("create", "admin", "--role", "admin", "--if-missing")).isEqualTo(ExitCode.DONE);
    String token = out.toString().strip();
    assertThat(token).startsWith(AccessTokens.PREFIX);

    out = new StringWriter();
    assertThat(run("create", "admin", "--role", "admin", "--if-missing")).isEqualTo(ExitCode.DONE);
    assertThat(out.toString()).isEmpty();
    assertThat(kept().find(token, Instant.now())).isPresent();
  }

  @Test
  void create_byCertificate_makesNoTokenAndNamesWhoMayCallWithOne()
      throws IOException, MalformedJson {
    assertThat(run("create", "ci-7", "--role", "submit", "--by-certificate"))
        .isEqualTo(ExitCode.DONE);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString()).contains("CN=ci-7");

    assertThat(kept().certified("ci-7", Instant.now())).isPresent();
    run("list", "--json");
    assertThat(out.toString()).contains("\"by\":\"certificate\"");
  }

  @Test
  void listAndRevoke_withoutTheFile_sayWhichIsNotThere() {
    assertThat(run("list")).isEqualTo(ExitCode.USAGE);
    assertThat(run("revoke", "ann")).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(file() + ": there is no such file");
  }

  @Test
  void revoke_aToken_isNotTakenAnyMore() throws IOException, MalformedJson {
    run("create", "ann", "--role", "read");
    String token = out.toString().strip();
    String secret = kept().secret();

    assertThat(run("revoke", "ann")).isEqualTo(ExitCode.DONE);
    assertThat(kept().find(token, Instant.now())).isEmpty();
    assertThat(kept().secret()).as("who has sent what stays proven").isEqualTo(secret);
    assertThat(run("revoke", "ann")).isEqualTo(ExitCode.UNKNOWN_ID);
  }

  @Test
  void create_byManyAtOnce_keepsAllTokensAndLeavesNothingBeside() throws Exception {
    try (ExecutorService all = Executors.newFixedThreadPool(8)) {
      List<Callable<Integer>> creates =
          IntStream.range(0, 8)
              .<Callable<Integer>>mapToObj(i -> () -> run("create", "n" + i, "--role", "read"))
              .toList();
      for (Future<Integer> one : all.invokeAll(creates)) {
        assertThat(one.get()).isEqualTo(ExitCode.DONE);
      }
    }

    assertThat(kept().tokens()).hasSize(8);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "create bob --role root,            role of bob: root",
    "create 'b/b' --role read,          name: 'b/b'",
    "create bob,                        --role",
    "create ann --role read,            'which has a token: stoker token revoke ann'",
    "'',                                'create, list or revoke'",
  })
  void token_thatIsWrong_isNamed(String words, String problem) {
    run("create", "ann", "--role", "read");
    assertThat(run(words.isEmpty() ? new String[0] : words.split(" "))).isEqualTo(ExitCode.USAGE);
    assertThat(err.toString()).contains(problem);
  }

  private AccessTokens kept() throws IOException, MalformedJson {
    return AccessTokens.read(Files.readAllBytes(file()));
  }

  private Path file() {
    return folder.resolve("tokens.json");
  }

  private int run(String... words) {
    List<String> all = new ArrayList<>(List.of("token"));
    all.addAll(List.of(words));
    if (words.length > 0) {
      all.addAll(List.of("--file", file().toString()));
    }
    CommandLine line = Main.commandLine(all.toArray(String[]::new));
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(all.toArray(String[]::new));
  }
}
