package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AuditEntry;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent;
import io.stoker.common.security.Macs;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.host.HostKeyBook;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.testing.KeyedAndMailing;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** Hosts have keys, which are demanded of those that have used theirs. */
@QuarkusTest
@OnRealServices
@TestProfile(KeyedAndMailing.class)
class HostKeyTest extends WithSite {
  private static final String SECRET = KeyedAndMailing.SECRET;
  private static final byte[] WRONG = {1, 2, 3};

  private static final int GATE = 4711;

  @Inject HostKeyBook book;
  @Inject Database database;

  @ConfigProperty(name = "quarkus.datasource.reactive.max-size")
  int connections;

  private final String host = Site.unique("keyed");
  private final Optional<byte[]> key =
      Optional.of(Macs.hostKey(HexFormat.of().parseHex(SECRET), host));

  @Test
  void whatRuns_whileItsHostsKeyIsRefused_isHeldUntilItReportsUnderAValidOne() throws Exception {
    String id = Site.unique("held");
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");
      agent.beat(0);
      ToAgent.Place place = running(agent, id);

      agent.sign(Optional.of(WRONG));
      awaitHeld(agent, place);

      given()
          .get("/hosts")
          .then()
          .body(of("state"), is("HELD"))
          .body(of("reason"), containsString("--dead"))
          .body("ignored.find { it.host == '%s' }.reason".formatted(host), containsString("key"));
      assertThat(site.query("select number from attempt where host = ?", host))
          .containsExactly("1");

      agent.sign(key);
      TopicLog.until(
          "it is released",
          () -> {
            agent.beat(0, place);
            return !keyOf().contains("\"held\"");
          });
      agent.succeed(place);
      assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(1);
    }
  }

  /** Whatever goes on in its name under the wrong key: what people say counts. */
  @Test
  void heldHost_thatIsDeclaredDead_losesWhatItRanAndHasItOnceMoreUnderItsKey() throws Exception {
    String id = Site.unique("dead");
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      long before = agent.hello("signed");
      agent.beat(0);
      ToAgent.Place place = running(agent, id);
      agent.sign(Optional.of(WRONG));
      awaitHeld(agent, place);

      post("drain?dead=true&reason=burnt+down").statusCode(202);

      site.statuses()
          .awaitThat(
              id, status -> status.state() == RequestState.QUEUED && status.attempt() != null);
      TopicLog.until(
          "it is lost, though it is refused",
          () -> {
            agent.beat(0, place);
            return "LOST".equals(given().get("/hosts").path(of("state")));
          });
      agent.sign(key);
      assertThat(agent.hello("repaired")).isGreaterThan(before);
      post("uncordon").statusCode(202);
      TopicLog.until(
          "it is placed again",
          () -> {
            agent.beat(0);
            return agent.timesTold(id, 2) > 0;
          });
      ToAgent.Place again = agent.awaitPlace(id, 2);
      agent.accept(again);
      agent.succeed(again);
      assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(2);
    }
  }

  @Test
  void aHostThatHasUsedItsKey_isNotBelievedWithoutIt_andIsToldSoUnderSignature() throws Exception {
    HandAgent agent = HandAgent.start(site, host);
    assertThat(keyOf()).as("a host without a key is welcome").isEmpty();
    agent.sign(key);
    agent.hello("signed");
    assertThat(keyOf()).contains("\"used\":true");

    agent.sign(Optional.empty());
    agent.sayGoodbye();
    TopicLog.until(
        "the goodbye is refused",
        () ->
            site.deadLetters().all().stream()
                .anyMatch(
                    letter -> new String(letter.value(), StandardCharsets.UTF_8).contains(host)));
    assertThat(site.query("select state from host where id = ?", host)).containsExactly("UP");

    List<byte[]> told = agent.records();
    agent.sign(key);
    agent.close();
    assertThat(told)
        .isNotEmpty()
        .allMatch(record -> Macs.sealed(Macs.placementsKey(key.get()), record));
  }

  /** Whoever writes to the topics could have as much kept as names are long. */
  @Test
  void whatIsSaidUnderANameThatNoHostHas_isRefusedAndNotRemembered() {
    String odd = host + "x".repeat(128);
    RecordMetadata beat = site.send(site.topics().heartbeats(), new Goodbye(odd, 1, "00"));
    Map<String, Object> event = Map.of("v", 1, "host", odd, "events", List.of(), "mac", "00");
    RecordMetadata events = site.send(site.topics().events(), event);

    assertThat(site.deadLetterReason(beat)).contains("name").doesNotContain(odd);
    assertThat(site.deadLetterReason(events)).contains("mac");
    assertThat(given().get("/hosts").asString()).doesNotContain(odd);
  }

  @Test
  void rotatedKey_isTakenBesideTheOneBefore_andTheHostIsToldUnderItOnceItUsesIt() throws Exception {
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("before");
      post("rotate-key").statusCode(202).body("generation", is(1));
      awaitKeys(1, 0);

      agent.hello("while both are taken");
      assertToldUnder(agent, key.get());

      agent.sign(next());
      agent.hello("after");
      assertToldUnder(agent, next().get());

      given().post("/hosts/" + host + "/revoke-key?generation=0").then().statusCode(202);
      awaitKeys(1, 1);
      agent.sign(key);
      awaitRefusal(() -> agent.beat(0));
      agent.sign(next());
      agent.hello("once the old key is revoked");
      assertToldUnder(agent, next().get());
      assertThat(site.query("select state from host where id = ?", host)).containsExactly("UP");
    }
  }

  @Test
  void revokedKey_holdsWhatRunsUntilItsAgentHasTheNextOne_andNothingIsPlacedTwice()
      throws Exception {
    String id = Site.unique("revoked");
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");
      agent.beat(0);
      ToAgent.Place place = running(agent, id);

      post("revoke-key").statusCode(202).body("generation", is(1));
      awaitHeld(agent, place);
      given()
          .get("/hosts")
          .then()
          .body(of("state"), is("HELD"))
          .body(
              "ignored.find { it.host == '%s' }.reason".formatted(host),
              containsString("older than generation 1"));

      agent.sign(next());
      TopicLog.until(
          "it is released",
          () -> {
            agent.beat(0, place);
            return !keyOf().contains("\"held\"");
          });
      agent.succeed(place);
      assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(1);
      assertThat(agent.timesTold(id, 2)).isZero();
    }
  }

  @Test
  void revokeKey_straightAfterARotation_refusesTheKeyInBetweenToo() {
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");

      post("rotate-key").statusCode(202).body("generation", is(1));
      post("revoke-key").statusCode(202).body("generation", is(2));

      awaitKeys(2, 2);
      agent.sign(ofGeneration(2)); // for its goodbye
    }
  }

  @Test
  void revokeKey_ofAGenerationThatWasNeverGiven_isRefused() {
    try (HandAgent agent = HandAgent.start(site, host)) {
      assertThat(agent.host()).isEqualTo(host);
      given()
          .post("/hosts/" + host + "/revoke-key?generation=1")
          .then()
          .statusCode(400)
          .body("detail", containsString("generation"));
    }
  }

  @Test
  void revokeKey_ofWhatIsNoGeneration_isRefusedByItsName() {
    try (HandAgent agent = HandAgent.start(site, host)) {
      for (String none : List.of("first", "1.5", "99999999999", "-1")) {
        given()
            .post("/hosts/" + agent.host() + "/revoke-key?generation=" + none)
            .then()
            .statusCode(400)
            .body("field", equalTo("generation"))
            .body("value", equalTo(none));
      }
    }
  }

  @Test
  void rotationAndRevocation_areOnTheAuditTopic_asAskedAndAsDone() {
    try (TopicLog audit = TopicLog.fromStart(site.bootstrap(), site.topics().audit());
        HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");
      post("rotate-key?overlap=1h").statusCode(202);
      awaitKeys(1, 0);
      given().post("/hosts/" + host + "/revoke-key?generation=0").then().statusCode(202);
      awaitKeys(1, 1);
      given().post("/hosts/" + host + "/revoke-key?generation=7").then().statusCode(400);
      site.send(
          site.topics().control(),
          new ControlMessage.RotateKey(Site.unique("m"), host, 9, "for ever"));

      String control = site.topics().control();
      for (String entry :
          List.of(
              "rest POST /hosts/%s/rotate-key?overlap=1h 202",
              control + " rotate-key %s to generation 1 done",
              "rest POST /hosts/%s/revoke-key?generation=0 202",
              control + " revoke-key %s up to generation 0 done",
              "rest POST /hosts/%s/revoke-key?generation=7 400",
              control + " rotate-key %s to generation 9 refused")) {
        String wanted = entry.formatted(host);
        audit.await(wanted, record -> said(record.value()).equals(wanted));
      }
      // Its goodbye counts only with a key that is still good.
      agent.sign(next());
    }
  }

  @Test
  void outputThatTheHostHasNotSigned_isLeftOut_andTheReaderIsToldSo() throws Exception {
    String id = Site.unique("written");
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");
      agent.beat(0);
      ToAgent.Place place = running(agent, id);
      TopicLog.until("it is known to sign", () -> book.output(host).isPresent());
      byte[] one = sealed(key, chunk(place.job(), 1, 0, "one", false));
      byte[] elsewhere = sealed(key, chunk("another", 1, 1, "replayed", false));

      write(place, one);
      write(place, Json.bytes(chunk(place.job(), 1, 1, "unsigned", true)));
      write(place, sealed(Optional.of(WRONG), chunk(place.job(), 1, 1, "wrong key", true)));
      write(place, sealed(ofHost("another"), chunk(place.job(), 1, 1, "another's key", true)));
      write(place, elsewhere);
      write(place, text(elsewhere).replace("another", place.job()).getBytes(UTF_8));
      write(place, sealed(key, chunk(place.job(), 2, 0, "of no attempt", true)));
      write(place, one);
      post("rotate-key").statusCode(202);
      write(place, sealed(next(), chunk(place.job(), 1, 1, "two", false)));
      write(place, sealed(key, chunk(place.job(), 1, 2, "three", true)));

      assertThat(logs(id))
          .containsExactly(
              "one",
              "stoker: lines are left out here, and will be wherever it is so again: they are not"
                  + " signed with the key of host %s, which has attempt 1".formatted(host),
              "two",
              "three");
      assertThat(given().get("/requests/" + id + "/logs?json=true").asString().lines())
          .filteredOn(line -> line.contains("left out"))
          .singleElement()
          .satisfies(
              line ->
                  assertThat(Json.read(line.getBytes(UTF_8), LogChunk.class).n()).isEqualTo(-1));

      agent.succeed(place);
      site.statuses().await(id, RequestState.SUCCEEDED);
      assertThat(given().get("/requests/" + id + "/logs?follow=true").asString().lines())
          .as("its attempt is over, and its row gone")
          .contains("one", "two", "three")
          .hasSize(4);
      given().post("/hosts/" + host + "/revoke-key?generation=0").then().statusCode(202);
      TopicLog.until(
          "what was signed with the revoked key is left out", () -> !logs(id).contains("one"));
      assertThat(logs(id)).contains("two").hasSize(2);
      agent.sign(next());
    }
  }

  @Test
  void outputOfAHostThatSignsNone_isShownAsItIs_alsoOnceItSigns() throws Exception {
    String id = Site.unique("before");
    try (HandAgent agent = HandAgent.start(site, host)) {
      ToAgent.Place place = running(agent, id);
      write(place, Json.bytes(chunk(place.job(), 1, 0, "one", false)));
      agent.sign(key);
      agent.hello("signed");
      TopicLog.until("it is known to sign", () -> book.output(host).isPresent());
      write(place, sealed(key, chunk(place.job(), 1, 1, "two", true)));

      assertThat(logs(id)).containsExactly("one", "two");
      agent.succeed(place);
      site.statuses().await(id, RequestState.SUCCEEDED);
    }
  }

  /** Where its attempts were placed is asked by the connections of readers. */
  @Test
  void output_isShownWhileTheWorkHasAllItsConnections() throws Exception {
    String id = Site.unique("read");
    try (HandAgent agent = HandAgent.start(site, host)) {
      agent.sign(key);
      agent.hello("signed");
      agent.beat(0);
      ToAgent.Place place = running(agent, id);
      write(place, sealed(key, chunk(place.job(), 1, 0, "one", true)));
      try (Connection gate = site.database()) {
        Site.query(gate, "select pg_advisory_lock(" + GATE + ")");
        for (int i = 0; i < connections; i++) {
          database
              .once(
                  session ->
                      session
                          .createNativeQuery("select 1 from pg_advisory_xact_lock(" + GATE + ")")
                          .getResultList())
              .subscribeAsCompletionStage();
        }
        TopicLog.until("all are held", () -> waiting(gate) == connections);
        assertThat(CompletableFuture.supplyAsync(() -> logs(id)))
            .succeedsWithin(TopicLog.PATIENCE)
            .asInstanceOf(LIST)
            .containsExactly("one");
      }
      agent.succeed(place);
      site.statuses().await(id, RequestState.SUCCEEDED);
    }
  }

  private static int waiting(Connection gate) {
    String sql =
        "select count(*) from pg_locks where locktype = 'advisory' and objid = ? and not granted";
    try {
      return Integer.parseInt(Site.query(gate, sql, GATE).getFirst());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> logs(String id) {
    return given().get("/requests/" + id + "/logs").asString().lines().toList();
  }

  private void write(ToAgent.Place place, byte[] record) {
    site.put(site.topics().logs(), place.job(), record);
  }

  private LogChunk chunk(String job, int attempt, int n, String line, boolean last) {
    return new LogChunk(
        new LogChunk.Source(job, attempt, null, host, "r"),
        "stdout",
        n,
        System.currentTimeMillis(),
        line + "\n",
        last,
        false);
  }

  private static byte[] sealed(Optional<byte[]> key, LogChunk chunk) {
    return Macs.seal(key.orElseThrow(), Json.bytes(chunk));
  }

  private static Optional<byte[]> ofHost(String name) {
    return Optional.of(Macs.hostKey(HexFormat.of().parseHex(SECRET), name));
  }

  private static String text(byte[] record) {
    return new String(record, UTF_8);
  }

  private static String said(byte[] value) {
    try {
      AuditEntry entry = Json.read(value, AuditEntry.class);
      return "%s %s %s".formatted(entry.via(), entry.what(), entry.outcome());
    } catch (MalformedJson e) {
      throw new AssertionError("no entry", e);
    }
  }

  /** Its lease is short, and what has just started takes its time: it is heard all along. */
  private ToAgent.Place running(HandAgent agent, String id) {
    site.post(only(id));
    TopicLog.until(
        "it is placed",
        () -> {
          agent.beat(0);
          return agent.timesTold(id, 1) > 0;
        });
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.accept(place);
    agent.run(place);
    TopicLog.until(
        "it runs",
        () -> {
          agent.beat(0, place);
          return "RUNNING".equals(given().get("/requests/" + id).path("state"));
        });
    return place;
  }

  private void awaitHeld(HandAgent agent, ToAgent.Place place) {
    TopicLog.until(
        "it is held",
        () -> {
          agent.beat(0, place);
          return keyOf().contains("\"held\"");
        });
  }

  private Optional<byte[]> next() {
    return ofGeneration(1);
  }

  private Optional<byte[]> ofGeneration(int generation) {
    return Optional.of(Macs.hostKey(HexFormat.of().parseHex(SECRET), host, generation));
  }

  private ValidatableResponse post(String what) {
    return given().post("/hosts/" + host + "/" + what).then();
  }

  private void awaitKeys(int generation, int oldest) {
    TopicLog.until(
        "keys from %d to %d are taken".formatted(oldest, generation),
        () -> {
          Map<String, Integer> taken = given().get("/hosts").path(of("key"));
          return Map.of("generation", generation, "oldest", oldest).equals(taken);
        });
  }

  private void awaitRefusal(Runnable said) {
    TopicLog.until(
        "it is refused",
        () -> {
          said.run();
          return String.valueOf(given().get("/hosts").<Object>path("ignored.host")).contains(host);
        });
  }

  private static void assertToldUnder(HandAgent agent, byte[] hostKey) {
    assertThat(Macs.sealed(Macs.placementsKey(hostKey), agent.records().getLast())).isTrue();
  }

  /** As it is stored; empty if nothing is known of it. */
  private String keyOf() {
    try {
      return site.query("select coalesce(key, '') from host where id = ?", host).getFirst();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String of(String what) {
    return "hosts.find { it.host == '%s' }.%s".formatted(host, what);
  }

  private ARequest only(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }
}
