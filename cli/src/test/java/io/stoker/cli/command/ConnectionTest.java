package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.stoker.cli.local.Addresses;
import io.stoker.cli.local.Contexts.Context;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.ProcessRef;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.Groups;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.testing.AServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionTest {
  @TempDir Path folder;

  @Test
  void variablesWinOverTheLocalStack() throws IOException {
    localStack(true, "http://127.0.0.1:2");
    Connection connection =
        connection(Map.of("STOKER_BOOTSTRAP", "kafka:9092", "STOKER_URL", "https://stoker:8080/"));

    assertThat(connection.access().bootstrap()).isEqualTo("kafka:9092");
    assertThat(connection.url()).isEqualTo(URI.create("https://stoker:8080"));
  }

  @Test
  void findsTheLocalStack() throws IOException {
    localStack(true, "http://127.0.0.1:2");

    assertThat(connection(Map.of()).access().bootstrap()).isEqualTo("127.0.0.1:1");
    assertThat(connection(Map.of()).url()).isEqualTo(URI.create("http://127.0.0.1:2"));
  }

  @Test
  void kafka_whereNothingListens_isToldOfAtOnce() {
    assertFails(
        () -> connection(Map.of("STOKER_BOOTSTRAP", "127.0.0.1:1")).kafka(),
        ExitCode.UNREACHABLE,
        "Kafka at 127.0.0.1:1 refuses connections");
  }

  @Test
  void saysWhatToDoWhenThereIsNothingToReach() throws IOException {
    assertFails(() -> connection(Map.of()).access(), ExitCode.UNREACHABLE, "stoker up");
    localStack(false, null);
    assertFails(() -> connection(Map.of()).access(), ExitCode.UNREACHABLE, "stoker up");
    localStack(true, null);
    assertFails(() -> connection(Map.of()).url(), ExitCode.UNREACHABLE, "no dispatcher");
  }

  @Test
  void refusesAUrlThatIsNone() {
    Connection connection = connection(Map.of("STOKER_URL", "stoker:8080"));

    assertFails(connection::url, ExitCode.USAGE, "STOKER_URL is stoker:8080");
    assertFails(
        () -> Connection.parse("URL", "//gpu-box"), ExitCode.USAGE, "URL is //gpu-box, expected");
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 409, 413})
  void rest_thatRefusesWhatWasSaid_isBadInput(int status) throws IOException {
    try (AServer server = AServer.answering("/groups/g/stop", status, "{\"message\":\"why\"}");
        RestClient rest = server.client()) {
      assertFails(() -> new Groups(rest).stop("g"), ExitCode.USAGE, "why");
    }
  }

  @Test
  void rest_ofAContext_sendsItsTokenThereAlone() throws IOException {
    List<String> heard = new CopyOnWriteArrayList<>();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          heard.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      Context lab = new Context(url, null, "stk_lab", null, null);
      ask(Map.of(), lab);
      ask(Map.of("STOKER_TOKEN", "stk_mine\n"), lab);
      ask(Map.of("STOKER_URL", url), lab);
      assertThat(heard).containsExactly("Bearer stk_lab", "Bearer stk_mine", "null");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aTokenOfTwoLines_isRefused_andNotShown() {
    assertThatThrownBy(() -> ask(Map.of("STOKER_URL", "http://x", "STOKER_TOKEN", "a\nb"), null))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("the token has")
        .hasMessageNotContaining("a\nb");
  }

  @Test
  void rest_thatAsksForAToken_isToldHowToGiveOne() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"message\":\"Authorization: none\"}".getBytes();
          exchange.sendResponseHeaders(401, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      assertFails(
          () -> ask(Map.of("STOKER_URL", url), null),
          ExitCode.USAGE,
          "answered 401: Authorization: none; set STOKER_TOKEN, or use stoker login");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void rest_thatCannotTellJustNow_isAskedAgain() throws IOException {
    AtomicInteger asked = new AtomicInteger();
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(asked.incrementAndGet() < 3 ? 503 : 200, -1);
          exchange.close();
        });
    server.start();
    try (RestClient rest =
        new RestClient(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort()), Access.NONE)) {
      assertThat(rest.get("/hosts").status()).isEqualTo(200);
      assertThat(asked).hasValue(3);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void bootstrap_ofAContextWithoutKafka_isAskedFor() {
    Context lab = new Context("http://lab", null, null, null, null);
    Connection connection =
        new Connection(new DataFolder(folder), Map.of(), Optional.of(lab), new AccessOptions());

    assertFails(connection::access, ExitCode.USAGE, "STOKER_BOOTSTRAP");
    assertThat(connection.isLocal()).isFalse();
  }

  private void ask(Map<String, String> environment, Context context) {
    Connection connection =
        new Connection(
            new DataFolder(folder), environment, Optional.ofNullable(context), new AccessOptions());
    try (RestClient rest = connection.rest()) {
      rest.get("/whoami");
    }
  }

  private void localStack(boolean ready, String url) throws IOException {
    new RunningStack(
            ProcessRef.of(ProcessHandle.current()),
            ready,
            new Addresses("127.0.0.1:1", url, "postgresql://p", "redis://r", null, null),
            List.of())
        .write(new DataFolder(folder));
  }

  private Connection connection(Map<String, String> environment) {
    return new Connection(new DataFolder(folder), environment);
  }

  private static void assertFails(ThrowingCallable call, int exitCode, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            CliException.class,
            failure -> {
              assertThat(failure.exitCode()).isEqualTo(exitCode);
              assertThat(failure).hasMessageContaining(message);
            });
  }
}
