package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.local.Contexts;
import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.testing.StokerProcess;
import io.stoker.cli.testing.StokerProcess.Ended;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stoker login} and {@code stoker context} as processes, with a home of their own. */
class ContextCommandTest {
  private static final String TOKEN = "stk_s3cr3t";

  @TempDir Path folder;

  private final List<String> heard = new CopyOnWriteArrayList<>();
  private HttpServer dispatcher;
  private String url;

  /** It knows one token, and has one request. */
  @BeforeEach
  void startDispatcher() throws IOException {
    dispatcher = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    dispatcher.createContext(
        "/",
        exchange -> {
          String login = exchange.getRequestHeaders().getFirst("Authorization");
          heard.add(exchange.getRequestURI().getPath() + " " + login);
          boolean known = ("Bearer " + TOKEN).equals(login);
          byte[] body =
              (known
                      ? "{\"name\":\"ann\",\"role\":\"submit\",\"queues\":[]}"
                      : "{\"message\":\"Authorization: no such token is in force\"}")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(known ? 200 : 401, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    dispatcher.start();
    url = "http://127.0.0.1:" + dispatcher.getAddress().getPort();
  }

  @AfterEach
  void stopDispatcher() {
    dispatcher.stop(0);
  }

  @Test
  void login_withATokenOnStandardInput_triesKeepsAndUsesIt() throws Exception {
    Ended login = stoker(TOKEN + "\n", "login", url, "--context", "lab", "--bootstrap", "k:9092");

    assertThat(login.err()).contains("lab is in use, as ann (submit)");
    assertThat(login.code()).as(login.err()).isEqualTo(ExitCode.DONE);
    assertThat(login.out() + login.err()).doesNotContain(TOKEN);
    assertThat(heard).containsExactly("/whoami Bearer " + TOKEN);
    assertThat(kept()).isEqualTo(new Contexts("lab", Map.of("lab", context(TOKEN))));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");

    heard.clear();
    stoker("", "show", "any");
    assertThat(heard).as("what another command sends").isNotEmpty();
    assertThat(heard).allMatch(one -> one.endsWith(" Bearer " + TOKEN));
  }

  @Test
  void login_withAWrongTokenOrNone_keepsNothing() throws Exception {
    kept(new Contexts("lab", Map.of("lab", context(TOKEN))));

    Ended wrong = stoker("stk_wrong\n", "login", url, "--context", "lab");
    Ended none = stoker("\n", "login", url, "--context", "lab");

    assertThat(wrong.code()).isNotEqualTo(ExitCode.DONE);
    assertThat(wrong.err())
        .contains("401", "no such token is in force")
        .doesNotContain("stk_wrong");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("there is no token");
    assertThat(kept()).isEqualTo(new Contexts("lab", Map.of("lab", context(TOKEN))));
  }

  @Test
  void login_whereNobodyAnswers_keepsNothing() throws Exception {
    dispatcher.stop(0);

    Ended away = stoker(TOKEN + "\n", "login", url);

    assertThat(away.code()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(away.err()).contains(url).doesNotContain(TOKEN);
    assertThat(file()).doesNotExist();
  }

  @Test
  void login_withoutAName_isNamedByItsHost_andByTheVariableWithoutAsking() throws Exception {
    Ended login = stoker("", Map.of("STOKER_TOKEN", TOKEN), "login", url);

    assertThat(login.code()).as(login.err()).isEqualTo(ExitCode.DONE);
    assertThat(kept().used()).isEqualTo("127.0.0.1");
    assertThat(kept().current().orElseThrow().token()).isEqualTo(TOKEN);
  }

  @Test
  void context_isAddedListedUsedAndRemoved_andItsTokenIsNeverShown() throws Exception {
    kept(new Contexts(null, Map.of("lab", context(TOKEN))));
    Path ca = folder.resolve("ca.pem");

    assertThat(
            stoker(
                    "",
                    "context",
                    "add",
                    "prod",
                    "--url",
                    "https://box:8443/",
                    "--ca",
                    ca.toString())
                .code())
        .isEqualTo(ExitCode.DONE);
    assertThat(stoker("", "context", "use", "prod").code()).isEqualTo(ExitCode.DONE);
    Ended table = stoker("", "context", "list");
    Ended lines = stoker("", "context", "list", "--json");

    assertThat(table.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
        .contains("lab " + url + " k:9092 token", "* prod https://box:8443");
    assertThat(lines.out().lines())
        .containsExactly(
            "{\"name\":\"lab\",\"used\":false,\"url\":\"%s\",\"bootstrap\":\"k:9092\",\"token\":true}"
                .formatted(url),
            "{\"name\":\"prod\",\"used\":true,\"url\":\"https://box:8443\",\"token\":false,\"ca\":\"%s\"}"
                .formatted(ca));
    assertThat(table.out() + lines.out()).doesNotContain(TOKEN);

    assertThat(stoker("", "context", "remove", "prod").code()).isEqualTo(ExitCode.DONE);
    assertThat(kept()).isEqualTo(new Contexts(null, Map.of("lab", context(TOKEN))));
    stoker("", "context", "remove", "lab");
    assertThat(file()).content().doesNotContain(TOKEN);
    assertThat(stoker("", "context", "list").err()).contains("there are none");
  }

  @ParameterizedTest
  @CsvSource({
    "context use prod,                        'no context prod'",
    "context remove prod,                     'no context prod'",
    "context add local --url https://box,     'name is local'",
    "context add a/b --url https://box,       'name is a/b'",
    "context add prod --url box:8443,         box:8443",
    "context add prod,                        --url",
    "context,                                 'list, use, add or remove'",
    "login box:8443,                          box:8443",
    "list --context prod,                     'no context prod'",
  })
  void context_thatIsWrong_isNamed(String words, String problem) throws Exception {
    Ended ended = stoker("", words.split(" "));

    assertThat(ended.code()).as(ended.err()).isEqualTo(ExitCode.USAGE);
    assertThat(ended.err()).contains(problem);
    assertThat(file()).doesNotExist();
  }

  private Context context(String token) {
    return new Context(url, "k:9092", token, null, null);
  }

  private Path file() {
    return Contexts.file(Map.of("XDG_CONFIG_HOME", folder.toString()));
  }

  private Contexts kept() {
    return Contexts.read(file());
  }

  private void kept(Contexts contexts) {
    contexts.write(file());
  }

  private Ended stoker(String input, String... words) throws Exception {
    return stoker(input, Map.of(), words);
  }

  private Ended stoker(String input, Map<String, String> variables, String... words)
      throws Exception {
    return new StokerProcess(folder).run(input, variables, words);
  }
}
