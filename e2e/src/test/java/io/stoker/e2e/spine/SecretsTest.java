package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.stoker.cli.local.FreePorts;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.stack.StackOptions;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.Checkout;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.CommandLine;
import io.stoker.e2e.stack.OutputLog;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.RedisWire;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What nobody is to read, on a stack of its own. */
@BesideTheSharedStack
@Timeout(1_200)
class SecretsTest {
  private static final String VALUE = "s3cr3t-" + UUID.randomUUID();
  private static final String STARS = "*".repeat(VALUE.length());

  /** Of processes that have it, while somebody looks for any that do. */
  private static final String HAVING = "processes that have the secret";

  private static final String GROUP = "secrets";

  /** What stands for each part of an address that is described by its name. */
  private static final Map<String, List<String>> PARTS =
      Map.of(
          "id", List.of("had", "failed"),
          "group", List.of(GROUP),
          "host", List.of("host-1"),
          "pool", List.of("warm"),
          "kind", List.of("html", "json", "csv"));

  private static final List<String> TYPES =
      List.of(
          "application/json",
          "application/vnd.stoker.page+json",
          "text/html",
          "text/plain",
          "text/csv",
          "application/x-ndjson");

  private static final List<String> COMMANDS =
      List.of(
          "show had",
          "show had --json",
          "show failed",
          "explain had --json",
          "results had --json",
          "logs had --raw",
          "logs failed --json",
          "list --json",
          "group secrets --report",
          "dead-letters --json",
          "audit --json",
          "pool list --json",
          "hosts --json");

  private static final int NOT_FOUND = 404;
  private static final int NOT_ACCEPTABLE = 406;

  private static StokerStack stack;
  private static int metrics;

  @BeforeAll
  static void start(@TempDir Path host) throws Exception {
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put(
        "STOKER_AGENT_SECRETS_HF_FILE",
        Files.writeString(host.resolve("hf"), VALUE + "\n").toString());
    agent.put("STOKER_AGENT_SECRETS_HF_QUEUES", "default");
    metrics = FreePorts.one();
    agent.put("STOKER_AGENT_METRICS_PORT", Integer.toString(metrics));
    agent.put("STOKER_AGENT_METRICS_HOST", "127.0.0.1");
    Path kinds =
        Files.writeString(
            host.resolve("kinds.yaml"),
            """
            kinds:
              warm:
                pool:
                  command: [sh, "%s"]
                  env: {OF: {secret: hf}}
                  max: 0
            """
                .formatted(Checkout.root().resolve("e2e/src/test/resources/worker.sh")));
    stack =
        StokerStack.start(
            "secrets",
            StackOptions.DEFAULT
                .withDispatchers(1)
                .withHosts(1)
                .withAgentEnvironment(agent)
                .withDispatcherEnvironment(
                    Map.of(
                        "STOKER_KINDS_FILE",
                        kinds.toString(),
                        "STOKER_QUEUES_LENT_OPEN",
                        "true",
                        "STOKER_QUEUES_OUTSIDE_OPEN",
                        "true",
                        "STOKER_SECRETS_HF_QUEUES",
                        "default,lent",
                        "STOKER_SECRETS_OTHER_QUEUES",
                        "*")));
  }

  @AfterAll
  static void stop() throws IOException {
    stack.close();
  }

  private static Posted with(String id, String secret, String script) {
    return Posted.script(id, script)
        .with("env", Map.of("HF_TOKEN", Map.of("secret", secret)))
        .with("group", GROUP);
  }

  @Test
  @ResourceLock(HAVING)
  void aSecretsValue_afterAJobHadAndPrintedIt_isNowhere(@TempDir Path folder) throws Exception {
    Posted posted =
        with(
            "had",
            "hf",
            "test ${#HF_TOKEN} = %d || exit 9; echo out $HF_TOKEN; echo err $HF_TOKEN >&2; "
                    .formatted(VALUE.length())
                + "echo \"#stoker:progress \\\"$HF_TOKEN\\\"\"; "
                + "echo \"#stoker:result \\\"$HF_TOKEN\\\"\"; "
                + "echo \"\\\"$HF_TOKEN\\\"\" >$STOKER_RESULT; echo $HF_TOKEN >file");
    stack.post(posted, with("failed", "hf", "echo $HF_TOKEN >&2; exit 3"));

    RequestStatus end = stack.statuses().awaitEnd("had");
    RequestStatus failed = stack.statuses().awaitEnd("failed");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().textValue()).isEqualTo(STARS);
    assertThat(failed.reason()).contains(STARS);
    try (OutputLog output = stack.outputs()) {
      assertThat(output.await(end.job(), 1)).contains("out " + STARS, "err " + STARS);
    }
    Path runs = stack.data().agent("host-1").resolve("runs");
    Awaitility.await().atMost(StatusLog.PATIENCE).until(() -> runs.toFile().list().length == 0);
    assertThat(Spills.inFiles(stack.data().root(), VALUE)).isEmpty();
    Map<String, String> shown = shown();
    assertThat(shown.keySet())
        .as("pages, a report as each kind of file, what is looked for, and a stream")
        .contains("/ as text/html", "/requests/failed as text/html", "/hosts/host-1 as text/html")
        .contains("/groups/secrets/report.html as text/html", "/requests/had/logs as text/plain")
        .contains("/page/requests/had/log as text/event-stream", "/q/metrics as text/plain");
    assertThat(shown).allSatisfy((what, text) -> assertThat(text).doesNotContain(VALUE));
    assertThat(shown.get("/requests/had as text/html")).contains(STARS);
    assertThat(shown.get("/requests/had/logs as text/plain")).contains("out " + STARS);
    assertThat(shown.get("/requests/had/details as application/json"))
        .contains("{\"secret\":\"hf\"}");
    assertThat(new Rest(stack).json("/requests?text=" + VALUE).path("requests")).isEmpty();
    CommandLine commands = new CommandLine(folder, stack);
    for (String command : COMMANDS) {
      assertThat(commands.output(command.split(" "))).as(command).doesNotContain(VALUE);
      assertThat(commands.err()).as(command).content().doesNotContain(VALUE);
    }
    assertThat(commands.output("logs", "had")).contains("out " + STARS);
    assertThat(Spills.inProcesses(VALUE)).isEmpty();
    Awaitility.await().atMost(StatusLog.PATIENCE).until(() -> redis().contains("had"));
    assertThat(redis()).doesNotContain(VALUE);
  }

  /** What each address that is described has to read, in each type that it has it in. */
  private static Map<String, String> shown() throws Exception {
    Rest rest = new Rest(stack);
    List<String> addresses = new ArrayList<>();
    rest.json("/q/openapi?format=json")
        .path("paths")
        .properties()
        .forEach(
            path -> {
              if (path.getValue().has("get")) {
                addresses.addAll(addresses(path.getKey()));
              }
            });
    Map<String, String> shown = new TreeMap<>();
    for (String address : addresses) {
      for (String type : TYPES) {
        // A pool is known once its host has told of it.
        HttpResponse<String> answer =
            Awaitility.await()
                .atMost(StatusLog.PATIENCE)
                .until(() -> rest.get(address, type), one -> one.statusCode() != NOT_FOUND);
        if (answer.statusCode() != NOT_ACCEPTABLE) {
          String what = address + " as " + type;
          assertThat(answer.statusCode()).as("%s: %s", what, answer.body()).isEqualTo(200);
          shown.put(what, answer.body());
        }
      }
      assertThat(shown.keySet()).as("what is shown").anyMatch(one -> one.startsWith(address + " "));
    }
    for (String more :
        List.of(
            "/requests?many=1 as text/html",
            "/requests?by=code as text/html",
            "/requests/had/logs?json=true as application/x-ndjson",
            "/page/requests/had/log as text/event-stream",
            "/q/metrics as text/plain",
            "/q/health as application/json")) {
      String[] both = more.split(" as ");
      shown.put(more, rest.get(both[0], both[1]).body());
    }
    shown.put("the agent's metrics", ofTheAgent());
    return shown;
  }

  /** Those that a template of an address stands for. */
  private static List<String> addresses(String template) {
    Matcher part = Pattern.compile("\\{(\\w+)}").matcher(template);
    if (!part.find()) {
      return List.of(template);
    }
    assertThat(PARTS).as("what stands for a part of %s", template).containsKey(part.group(1));
    return PARTS.get(part.group(1)).stream()
        .map(value -> template.replace(part.group(), value))
        .flatMap(one -> addresses(one).stream())
        .toList();
  }

  private static String ofTheAgent() throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:%d/metrics".formatted(metrics));
    try (HttpClient http = HttpClient.newHttpClient()) {
      String all =
          http.send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(all).contains("stoker_agent_");
      return all;
    }
  }

  /** All that Redis holds, as text. */
  private static String redis() throws IOException {
    String script =
        "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = key "
            + "local type = redis.call('TYPE', key).ok "
            + "if type == 'string' then all[#all + 1] = redis.call('GET', key) "
            + "elseif type == 'hash' then all[#all + 1] = table.concat(redis.call('HGETALL', key), ' ') "
            + "elseif type == 'set' then all[#all + 1] = table.concat(redis.call('SMEMBERS', key), ' ') "
            + "else all[#all + 1] = 'unread ' .. type end end return table.concat(all, ' ')";
    String command = "*3\r\n$4\r\nEVAL\r\n$%d\r\n%s\r\n$1\r\n0\r\n";
    String all =
        RedisWire.ask(stack.processes().info().redis(), command.formatted(script.length(), script));
    assertThat(all).startsWith("$").doesNotContain("unread");
    return all;
  }

  @Test
  void aSecretThatItsQueueMayNotUse_isRefusedAtTheDoor() {
    stack.post(with("none", "no-such", "true"));

    RequestStatus end = stack.statuses().awaitEnd("none");

    assertThat(end.state()).isEqualTo(RequestState.REJECTED);
    assertThat(end.reason())
        .contains("env.HF_TOKEN.secret: no-such", "queue default", "stoker.secrets.no-such.queues");
  }

  @Test
  void aSecretThatTheHostDoesNotHave_failsTheJobByItsName() {
    stack.post(with("other", "other", "true").with("retry", Map.of("launch", 0)));

    RequestStatus end = stack.statuses().awaitEnd("other");

    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.reason())
        .contains("env.HF_TOKEN asks for secret other", "stoker.agent.secrets.other");
  }

  @Test
  @ResourceLock(HAVING)
  void workersThatAKindDeclares_haveTheirSecret_forQueuesThatMayUseIt() throws Exception {
    Posted warm = Posted.bare("warm").with("kind", "warm").with("retry", Map.of("launch", 0));
    stack.post(
        warm,
        warm.as("warm-out").with("queue", "outside"),
        // Of another meaning, since it would be told of the first one's end.
        warm.as("warm-lent").with("queue", "lent").with("params", Map.of("other", 1)));

    RequestStatus end = stack.statuses().awaitEnd("warm");
    RequestStatus refused = stack.statuses().awaitEnd("warm-out");
    RequestStatus lent = stack.statuses().awaitEnd("warm-lent");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().path("of").textValue()).as("hidden, as it was there").isEqualTo(STARS);
    assertThat(refused.state()).isEqualTo(RequestState.REJECTED);
    assertThat(refused.reason())
        .contains("workers: warm", "queue outside", "stoker.secrets.hf.queues");
    assertThat(lent.state()).isEqualTo(RequestState.FAILED);
    assertThat(lent.reason()).contains("pool warm", "queue lent", "stoker.agent.secrets.hf.queues");
    assertThat(Spills.inFiles(stack.data().root(), VALUE)).isEmpty();
  }

  @Test
  void theStacksOwnSecrets_areInNoProcesssEnvironment() throws IOException {
    StackSettings own = StackSettings.read(stack.data()).orElseThrow();

    assertThat(Spills.inProcesses(own.hostSecret())).isEmpty();
    assertThat(Spills.inProcesses(own.postgresPassword())).isEmpty();
  }

  @Test
  void aJobThatAsksForNoNetwork_hasNone_andSaysWhatItWasKeptIn() throws Exception {
    assumeTrue(
        new Rest(stack).get("/hosts").contains("\"network\":\"none\""),
        "this machine gives its agent no namespaces");
    stack.post(
        Posted.script("alone", "sed 1,2d /proc/net/dev | wc -l >$STOKER_RESULT")
            .with("resources", Map.of("network", "none")));

    RequestStatus end = stack.statuses().awaitEnd("alone");

    assertThat(end.state()).as(end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().intValue()).as("devices of a network").isEqualTo(1);
    assertThat(end.usage().kept()).isEqualTo("as the agent, no new privileges, no network");
  }
}
