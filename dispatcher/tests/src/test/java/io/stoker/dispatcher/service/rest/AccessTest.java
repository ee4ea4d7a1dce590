package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.nullValue;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.stoker.common.json.Json;
import io.stoker.common.message.AuditEntry;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Produces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what by REST, where tokens are asked for. */
@QuarkusTest
@OnRealServices
@TestProfile(AccessTest.WithTokens.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String SESSION = "stoker-session";
  private static final String NOBODY = "";
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX);

  /** What each token is named; so are the tokens, but for what all start with. */
  private static final Map<String, AccessRole> ROLES =
      Map.of(
          "reader", AccessRole.READ,
          "ann", AccessRole.SUBMIT,
          "bea", AccessRole.SUBMIT,
          "operator", AccessRole.OPERATE,
          "admin", AccessRole.ADMIN);

  /** What begins a login. */
  private static final Set<String> FOR_EVERYBODY =
      Set.of("POST /page/login", "GET /page/oidc", "GET /page/oidc/back");

  /** What each route of the application answers with, as {@code METHOD /path}. */
  private static final Map<String, Set<String>> ROUTES = new TreeMap<>();

  private static String ended;

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  @ConfigProperty(name = "stoker.http.tokens-file")
  Path file;

  /** A file with a token of each role, and of one queue. */
  public static class WithTokens implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path file = Files.createTempFile(Path.of("target").toAbsolutePath(), "tokens", ".json");
        file.toFile().deleteOnExit();
        AccessTokens tokens = AccessTokens.none();
        for (Map.Entry<String, AccessRole> one : ROLES.entrySet()) {
          tokens = tokens.with(token(one.getKey(), one.getValue(), List.of()));
        }
        tokens = tokens.with(token("lab", AccessRole.SUBMIT, List.of("lab")));
        Files.write(file, Json.bytes(tokens));
        return Map.of("stoker.http.tokens-file", file.toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static Token token(String name, AccessRole role, List<String> queues) {
    String hash = AccessTokens.hash(secret(name));
    return new Token(name, role.key(), queues, hash, Instant.now().toString(), null);
  }

  private static String secret(String name) {
    return AccessTokens.PREFIX + name;
  }

  @BeforeAll
  void findRoutes() {
    for (Bean<?> bean :
        CDI.current().getBeanManager().getBeans(Object.class, Any.Literal.INSTANCE)) {
      Class<?> resource = bean.getBeanClass();
      if (resource.isAnnotationPresent(jakarta.ws.rs.Path.class)) {
        Arrays.stream(resource.getMethods()).forEach(method -> addRoute(resource, method));
      }
    }
  }

  private static void addRoute(Class<?> resource, Method method) {
    for (Annotation one : method.getAnnotations()) {
      HttpMethod verb = one.annotationType().getAnnotation(HttpMethod.class);
      if (verb != null) {
        Produces produces =
            Optional.ofNullable(method.getAnnotation(Produces.class))
                .orElse(resource.getAnnotation(Produces.class));
        ROUTES
            .computeIfAbsent(verb.value() + " " + path(resource, method), route -> new TreeSet<>())
            .add(produces == null ? "*/*" : produces.value()[0].replaceAll(";.*", ""));
      }
    }
  }

  private static String path(Class<?> resource, Method method) {
    jakarta.ws.rs.Path below = method.getAnnotation(jakarta.ws.rs.Path.class);
    String path =
        resource.getAnnotation(jakarta.ws.rs.Path.class).value()
            + (below == null ? "" : "/" + below.value());
    String single = path.replaceAll("/+", "/").replaceAll("\\{(\\w+):[^}]*}", "{$1}");
    return single.length() > 1 && single.endsWith("/")
        ? single.substring(0, single.length() - 1)
        : single;
  }

  @ParameterizedTest
  @CsvSource({
    "GET,    /,                                READ",
    "GET,    /whoami,                          READ",
    "GET,    /requests,                        READ",
    "GET,    /requests/{id},                   READ",
    "GET,    /requests/{id}/details,           READ",
    "GET,    /requests/{id}/logs,              READ",
    "GET,    /requests/{id}/results,           READ",
    "GET,    /explain/{id},                    READ",
    "GET,    /estimates,                       READ",
    "GET,    /groups,                          READ",
    "GET,    /groups/{group},                  READ",
    "GET,    /groups/{group}/report,           READ",
    "GET,    /groups/{group}/report.{kind},    READ",
    "GET,    /hosts,                           READ",
    "GET,    /hosts/{host},                    READ",
    "GET,    /hosts/{host}/events,             READ",
    "GET,    /kinds,                           READ",
    "GET,    /passive,                         READ",
    "GET,    /pools,                           READ",
    "GET,    /pools/{host}/{pool},             READ",
    "GET,    /queues,                          READ",
    "GET,    /dead-letters,                    OPERATE",
    "GET,    /set-aside,                       READ",
    "POST,   /requests,                        SUBMIT",
    "DELETE, /requests/{id},                   SUBMIT",
    "POST,   /requests/{id}/forget,            SUBMIT",
    "POST,   /requests/{id}/priority,          SUBMIT",
    "POST,   /requests/{id}/result,            SUBMIT",
    "POST,   /requests/{id}/retry,             SUBMIT",
    "POST,   /groups/{group},                  SUBMIT",
    "POST,   /groups/{group}/close,            SUBMIT",
    "POST,   /groups/{group}/rerun-best,       SUBMIT",
    "POST,   /groups/{group}/retries,          SUBMIT",
    "POST,   /groups/{group}/stop,             SUBMIT",
    "DELETE, /results/{fingerprint},           OPERATE",
    "POST,   /hosts/{host}/cordon,             OPERATE",
    "POST,   /hosts/{host}/devices,            OPERATE",
    "POST,   /hosts/{host}/drain,              OPERATE",
    "POST,   /hosts/{host}/policy,             OPERATE",
    "POST,   /hosts/{host}/revoke-key,         OPERATE",
    "POST,   /hosts/{host}/rotate-key,         OPERATE",
    "POST,   /hosts/{host}/uncordon,           OPERATE",
    "POST,   /pools/{host}/{pool}/{action},    OPERATE",
    "POST,   /reload,                          ADMIN",
    "GET,    /q/metrics,                       READ",
    "GET,    /q/openapi,                       READ",
    "GET,    /page/changes,                    READ",
    "GET,    /page/requests/{id}/log,          READ",
    "POST,   /page/logout,                     READ",
    "POST,   /page/seen,                       READ",
    "POST,   /page/dead-letters/again,         SUBMIT",
    "POST,   /page/groups/{group}/{action},    SUBMIT",
    "POST,   /page/many/{action},              SUBMIT",
    "POST,   /page/requests/{id}/{action},     SUBMIT",
    "POST,   /page/hosts/{host}/{action},      OPERATE",
  })
  void call_ofEachRole_isAnsweredFromItsRoleOn(String method, String path, AccessRole from) {
    for (String type : ROUTES.getOrDefault(method + " " + path, Set.of("*/*"))) {
      call(NOBODY, method, path, type).then().statusCode(401);
      ROLES.forEach(
          (name, role) -> {
            Response answer = call(name, method, path, type);
            String what = "%s %s as %s, %s".formatted(method, path, name, type);
            if (role.includes(from)) {
              assertThat(answer.statusCode()).as(what).isNotIn(401, 403, 405, 406, 500);
            } else {
              assertThat(answer.statusCode()).as(what).isEqualTo(403);
              assertThat(answer.asString())
                  .as(what)
                  .contains(name + " has the role " + role.key() + ", which may not do that");
            }
          });
    }
  }

  /** What is refused by its path alone is refused however that is written. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/q/metrics;a",
        "/q/metrics%3Ba",
        "/q;a/metrics",
        "/q%3Ba/metrics",
        "/q%2Fmetrics",
        "/q/%6Detrics",
        "//q//metrics",
        "/q/health/../metrics",
        "/q/health/%2E%2E/metrics",
        "/q/health/..%2Fmetrics",
        "/q/health;/../metrics",
        "/q/health/..;/metrics",
        "/q/openapi;a",
        "/q/openapi%3Ba"
      })
  void metrics_byAnotherSpellingOfTheirPath_areNobodys(String path) throws Exception {
    HttpRequest call =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + RestAssured.port + path)).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = http.send(call, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isIn(400, 401, 404);
      assertThat(answer.body()).doesNotContain("jvm_", "openapi:");
    }
  }

  @Test
  void table_hasEachRoute() throws Exception {
    Set<String> described = new TreeSet<>();
    JsonNode paths = Json.read(as("reader").get("/q/openapi?format=json").asString()).path("paths");
    paths
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .fieldNames()
                    .forEachRemaining(
                        how -> described.add(how.toUpperCase() + " " + path.getKey())));
    Set<String> rows = new TreeSet<>();
    CsvSource table =
        AccessTest.class
            .getDeclaredMethod(
                "call_ofEachRole_isAnsweredFromItsRoleOn",
                String.class,
                String.class,
                AccessRole.class)
            .getAnnotation(CsvSource.class);
    for (String row : table.value()) {
      String[] cells = row.split(", *");
      rows.add(cells[0] + " " + cells[1].strip());
    }
    rows.removeIf(row -> row.contains("/q/metrics"));
    rows.addAll(FOR_EVERYBODY);
    assertThat(new TreeSet<>(ROUTES.keySet())).isEqualTo(rows);
    rows.removeIf(row -> row.contains(" /page/") || row.contains("/q/"));
    assertThat(described).isEqualTo(rows);
  }

  @Test
  void description_hasWhatCallersShow() throws Exception {
    JsonNode api = Json.read(as("reader").get("/q/openapi?format=json").asString());

    JsonNode schemes = api.at("/components/securitySchemes");
    assertThat(schemes.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("token", "certificate");
    assertThat(schemes.at("/token/type").asText()).isEqualTo("http");
    assertThat(schemes.at("/token/scheme").asText()).isEqualTo("bearer");
    assertThat(schemes.at("/certificate/type").asText()).isEqualTo("mutualTLS");
    for (JsonNode path : api.path("paths")) {
      for (JsonNode call : path) {
        JsonNode role = call.at("/security/0/token/0");
        assertThat(AccessRole.of(role.asText())).as(call.toString()).isPresent();
        assertThat(call.path("security").toString())
            .isEqualTo("[{\"token\":[%1$s]},{\"certificate\":[%1$s]}]".formatted(role));
      }
    }
    assertThat(api.at("/paths/~1reload/post/security/0/token/0").asText()).isEqualTo("admin");
  }

  @Test
  void page_asksForALoginAndKeepsItInACookie() {
    browser().get("/hosts").then().statusCode(401).body(containsString("action=\"/page/login\""));
    browser()
        .formParam("token", "guess")
        .post("/page/login")
        .then()
        .statusCode(401)
        .body(containsString("No such token is in force."));
    String cookie = login("reader", "/hosts?x=1", "/hosts?x=1");
    withSession(cookie)
        .get("/hosts")
        .then()
        .statusCode(200)
        .body(containsString("<span>reader</span>"));
    // What changes something by the cookie alone is a form of the page.
    given().cookie(SESSION, login("admin", "/", "/")).post("/reload").then().statusCode(401);
    withSession("revoked")
        .get("/")
        .then()
        .statusCode(401)
        .header("Set-Cookie", containsString("Max-Age=0"));
  }

  @Test
  void login_leadsToNoOtherSite() {
    login("reader", "https://evil.example/", "/");
    login("reader", "//evil.example/", "/");
    login("reader", "/\\evil.example/", "/");
  }

  @Test
  void form_ofTheWrongRoleOrOfNoPage_isRefused() {
    String reader = login("reader", "/", "/");
    String key = SessionCookie.key(reader);
    withSession(reader).formParam("key", key).post("/page/hosts/h/cordon").then().statusCode(403);
    RequestSpecification operator = withSession(login("operator", "/", "/"));
    operator.formParam("key", key).post("/page/hosts/h/cordon").then().statusCode(403);
    withSession(reader).formParam("key", key).post("/page/logout").then().statusCode(303);
  }

  @Test
  void cordon_saysByWhomItWas() throws InterruptedException {
    String host = "access-host-" + UUID.randomUUID();
    FakeAgent agent = FakeAgent.start(bootstrap, TOPICS, host, 1, place -> Optional.empty());
    try {
      await().atMost(SOON).until(agent::welcomed);
      as("operator").post("/hosts/{host}/cordon?reason=fan", host).then().statusCode(202);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  as("reader")
                      .get("/hosts/{host}", host)
                      .then()
                      .statusCode(200)
                      .body("reason", equalTo("by operator: fan")));
    } finally {
      agent.close();
    }
  }

  private static RequestSpecification browser() {
    return given().redirects().follow(false).accept("text/html,*/*;q=0.8");
  }

  private static RequestSpecification withSession(String cookie) {
    return browser().cookie(SESSION, cookie);
  }

  private static String login(String name, String to, String leadsTo) {
    Response answer =
        browser().formParam("token", secret(name)).formParam("to", to).post("/page/login");
    answer.then().statusCode(303).header("Location", equalTo(leadsTo));
    String cookie = answer.header("Set-Cookie");
    assertThat(cookie).containsIgnoringCase("HttpOnly").contains("SameSite=Strict", "Path=/");
    return answer.cookie(SESSION);
  }

  @Test
  void call_withoutAToken_isToldWhatIsAskedFor() {
    given()
        .get("/requests")
        .then()
        .statusCode(401)
        .contentType("application/problem+json")
        .header("WWW-Authenticate", equalTo("Bearer"))
        .body("type", equalTo("urn:stoker:problem:login"));
    given().get("/q/health/ready").then().header("WWW-Authenticate", nullValue());
  }

  @Test
  void change_ofAnothersRequest_isForOperators() {
    String anns = post("ann", "default");
    awaitKnown(anns);

    as("reader").get("/requests/{id}", anns).then().body("sentBy", equalTo("ann"));
    as("reader").get("/requests/{id}/details", anns).then().body("status.sentBy", equalTo("ann"));
    for (String change : List.of("retry", "forget", "priority", "result")) {
      as("bea")
          .contentType(ContentType.JSON)
          .body("{\"priority\":1,\"result\":1}")
          .post("/requests/{id}/" + change, anns)
          .then()
          .statusCode(403)
          .body("value", equalTo(anns));
    }
    as("bea").delete("/requests/{id}", anns).then().statusCode(403);
    as("ann").delete("/requests/{id}", anns).then().statusCode(202);

    String beas = post("bea", "default");
    awaitKnown(beas);
    as("operator").delete("/requests/{id}", beas).then().statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> as("bea").get("/requests/{id}", beas).then().body("state", equalTo("CANCELLED")));

    String retried = as("operator").post("/requests/{id}/retry", beas).path("id");
    awaitKnown(retried);
    as("reader").get("/requests/{id}", retried).then().body("sentBy", equalTo("bea"));
    as("bea").delete("/requests/{id}", retried).then().statusCode(202);
  }

  @Test
  void group_withAnothersRequests_isStoppedByOperators() {
    String group = UUID.randomUUID().toString();
    String body = "{\"id\":\"%s\",\"command\":[\"x\"],\"group\":\"%s\",\"queue\":\"default\"}";
    String id = UUID.randomUUID().toString();
    as("ann")
        .contentType(ContentType.JSON)
        .body(body.formatted(id, group))
        .post("/requests")
        .then()
        .statusCode(202);
    awaitKnown(id);

    as("bea").post("/groups/{g}/stop", group).then().statusCode(403);
    as("bea").post("/groups/{g}/close", group).then().statusCode(403);
    as("bea").post("/groups/{g}/retries?limit=1", group).then().statusCode(403);
    as("ann").post("/groups/{g}/stop", group).then().statusCode(202);
  }

  @Test
  void post_toAQueueThatIsNotTheTokens_isRefused() {
    as("lab")
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"x\"]}".formatted(UUID.randomUUID()))
        .post("/requests")
        .then()
        .statusCode(403)
        .body("field", equalTo("queue"))
        .body("value", equalTo("default"));
    String id = post("lab", "lab");
    awaitKnown(id);
    as("lab").get("/whoami").then().body("queues", equalTo(List.of("lab")));
    as("lab").delete("/requests/{id}", id).then().statusCode(202);
  }

  @Test
  void read_ofAnotherQueue_isNotForATokenWithQueues() {
    String others = post("ann", "default");
    String own = post("lab", "lab");
    awaitKnown(others);
    awaitKnown(own);

    for (String path :
        List.of(
            "/requests/{id}",
            "/requests/{id}/details",
            "/requests/{id}/logs",
            "/requests/{id}/results",
            "/explain/{id}")) {
      as("lab").get(path, others).then().statusCode(404);
      as("lab").head(path, others).then().statusCode(404);
      as("lab").get(path, own).then().statusCode(200);
      as("lab").head(path, own).then().statusCode(200);
      as("ann").get(path, own).then().statusCode(200);
    }
    assertThat(as("lab").get("/requests?limit=1000").jsonPath().getList("requests.queue"))
        .containsOnly("lab");
    assertThat(as("lab").get("/requests").jsonPath().getList("requests.id")).contains(own);
    as("lab").get("/requests?queue=default").then().statusCode(403).body("field", equalTo("queue"));
    assertThat(as("lab").get("/queues").jsonPath().getList("queues.queue")).containsOnly("lab");
    for (String path : List.of("/estimates", "/groups", "/passive", "/set-aside")) {
      as("lab").get(path).then().statusCode(403).body("field", equalTo("queues"));
      as("lab").head(path).then().statusCode(403);
    }
    as("lab").get("/hosts").then().statusCode(200);
    as("ann").delete("/requests/{id}", others).then().statusCode(202);
    as("lab").delete("/requests/{id}", own).then().statusCode(202);
  }

  @Test
  void group_withARequestOfAnotherQueue_isNotThereForATokenWithQueues() {
    String group = UUID.randomUUID().toString();
    String own = inGroup("lab", "lab", group);
    awaitKnown(own);
    as("lab").get("/groups/{g}", group).then().statusCode(200);
    String others = inGroup("ann", "default", group);
    awaitKnown(others);

    for (String path : List.of("/groups/{g}", "/groups/{g}/report", "/groups/{g}/report.csv")) {
      as("lab").get(path, group).then().statusCode(404);
      as("lab").head(path, group).then().statusCode(404);
      as("ann").get(path, group).then().statusCode(200);
    }
    as("ann").delete("/requests/{id}", others).then().statusCode(202);
    as("lab").delete("/requests/{id}", own).then().statusCode(202);
  }

  private static String inGroup(String name, String queue, String group) {
    String id = UUID.randomUUID().toString();
    as(name)
        .contentType(ContentType.JSON)
        .body(
            "{\"id\":\"%s\",\"command\":[\"%s\"],\"queue\":\"%s\",\"group\":\"%s\"}"
                .formatted(id, id, queue, group))
        .post("/requests")
        .then()
        .statusCode(202);
    return id;
  }

  @Test
  void request_byKafkaThatNamesASender_isNobodys() throws Exception {
    String id = UUID.randomUUID().toString();
    byte[] body = "{\"id\":\"%s\",\"command\":[\"x\"]}".formatted(id).getBytes();
    ProducerRecord<byte[], byte[]> forged =
        new ProducerRecord<>(TOPICS.requests(), id.getBytes(), body);
    forged.headers().add("stoker-sent-by", "ann".getBytes(StandardCharsets.UTF_8));
    forged.headers().add("stoker-sent-by-proof", "0".repeat(64).getBytes(StandardCharsets.UTF_8));
    send(forged);
    awaitKnown(id);

    as("reader").get("/requests/{id}", id).then().body("sentBy", nullValue());
    as("ann").delete("/requests/{id}", id).then().statusCode(403);
    as("operator").delete("/requests/{id}", id).then().statusCode(202);
  }

  @Test
  void change_byRestAndByTheControlTopic_isOnTheAuditTopic() throws Exception {
    String id = post("ann", "default");
    awaitKnown(id);
    as("bea").delete("/requests/{id}", id).then().statusCode(403);
    as("ann").delete("/requests/{id}", id).then().statusCode(202);
    String unknown = UUID.randomUUID().toString();
    given().delete("/requests/{id}", unknown).then().statusCode(401);
    byte[] wrong =
        "{\"type\":\"priority\",\"id\":\"m\",\"request\":\"%s\",\"priority\":9999}"
            .formatted(id)
            .getBytes();
    send(new ProducerRecord<>(TOPICS.control(), id.getBytes(), wrong));

    List<String> wanted =
        List.of(
            "ann rest POST /requests 202 [" + id + "]",
            "bea rest DELETE /requests/" + id + " 403 null",
            "ann rest DELETE /requests/" + id + " 202 null",
            "null rest DELETE /requests/" + unknown + " 401 null",
            "ann stoker.control cancel " + id + " done null",
            "null stoker.control priority " + id + " 9999 refused null");
    List<String> found = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partition = List.of(new TopicPartition(TOPICS.audit(), 0));
      consumer.assign(partition);
      consumer.seekToBeginning(partition);
      await()
          .atMost(SOON)
          .until(
              () -> {
                for (ConsumerRecord<byte[], byte[]> one : consumer.poll(Duration.ofMillis(50))) {
                  AuditEntry entry = Json.read(one.value(), AuditEntry.class);
                  found.add(
                      "%s %s %s %s %s"
                          .formatted(
                              entry.who(),
                              entry.via(),
                              entry.what(),
                              entry.outcome(),
                              entry.ids()));
                }
                return found.containsAll(wanted);
              });
    }
  }

  private void send(ProducerRecord<byte[], byte[]> record) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(record).get();
    }
  }

  @Test
  void token_thatIsRevokedOrAdded_countsFromTheNextCallOn() throws Exception {
    AccessTokens before = AccessTokens.read(Files.readAllBytes(file));
    String name = "later";
    as(name).get("/whoami").then().statusCode(401);

    try {
      Files.write(file, Json.bytes(before.with(token(name, AccessRole.READ, List.of()))));
      as(name).get("/whoami").then().statusCode(200).body("name", equalTo(name));
      Files.writeString(file, "{ not a file of tokens");
      as(name).get("/whoami").then().statusCode(200);
    } finally {
      Files.write(file, Json.bytes(before));
    }
    as(name).get("/whoami").then().statusCode(401);
  }

  @Test
  void guesses_areHeldUp() throws Exception {
    // From an address of its own, as it is held up for a minute.
    try (HttpClient http =
        HttpClient.newBuilder().localAddress(InetAddress.getByName("127.0.0.7")).build()) {
      assertThat(whoami(http, secret("ann")).statusCode()).isEqualTo(200);
      HttpResponse<String> answer = whoami(http, "guess");
      for (int i = 0; i < 20 && answer.statusCode() == 401; i++) {
        answer = whoami(http, "guess-" + i);
      }
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(429);
      assertThat(answer.headers().firstValue("Retry-After").orElseThrow()).matches("[0-9]+");
      assertThat(whoami(http, secret("bea")).statusCode()).as("not looked at").isEqualTo(429);
      assertThat(whoami(http, secret("ann")).statusCode()).as("right before").isEqualTo(200);
    }
  }

  private static HttpResponse<String> whoami(HttpClient http, String token) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + RestAssured.port + "/whoami");
    HttpRequest request =
        HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token).build();
    return http.send(request, BodyHandlers.ofString());
  }

  private static Response call(String name, String method, String template, String type) {
    String known = template.endsWith("/log") ? template.replace("{id}", ended()) : template;
    String path =
        known
            .replace("{kind}", "json")
            .replace("{fingerprint}", "0".repeat(64))
            .replace("/page/groups/{group}/{action}", "/page/groups/{group}/stop")
            .replace("/page/hosts/{host}/{action}", "/page/hosts/{host}/uncordon")
            .replaceAll("^(/page/.*)\\{action}", "$1cancel")
            .replaceAll("\\{[a-z]+}", UUID.randomUUID().toString());
    RequestSpecification call = name.isEmpty() ? given() : as(name);
    if (template.startsWith("/page/") && method.equals("POST")) {
      // Of a page of this session; who sends it is said by the token.
      call.formParam("key", SessionCookie.key(secret(name)));
      if (!name.isEmpty()) {
        call.cookie(SESSION, secret(name));
      }
    } else if (method.equals("POST")) {
      call.contentType(ContentType.JSON).body("{}");
    }
    return call.redirects().follow(false).accept(type).request(method, path);
  }

  /** A request whose output is over: a stream of it ends. */
  private static String ended() {
    if (ended == null) {
      String id = post("ann", "default");
      awaitKnown(id);
      as("ann").delete("/requests/{id}", id).then().statusCode(202);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  as("reader")
                      .get("/requests/{id}", id)
                      .then()
                      .body("state", equalTo("CANCELLED")));
      ended = id;
    }
    return ended;
  }

  private static String post(String name, String queue) {
    String id = UUID.randomUUID().toString();
    as(name)
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"%s\"],\"queue\":\"%s\"}".formatted(id, id, queue))
        .post("/requests")
        .then()
        .statusCode(202)
        .body("id", matchesPattern(".+"));
    return id;
  }

  private static void awaitKnown(String id) {
    await()
        .atMost(SOON)
        .untilAsserted(() -> as("reader").get("/requests/{id}", id).then().statusCode(200));
  }

  private static RequestSpecification as(String name) {
    return given().header("Authorization", "Bearer " + secret(name));
  }
}
