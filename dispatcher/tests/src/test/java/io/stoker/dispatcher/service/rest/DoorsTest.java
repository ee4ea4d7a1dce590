package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import com.fasterxml.jackson.databind.JsonNode;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.Certified;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** HTTPS, a port for those who watch, and how much one caller may take. */
@QuarkusTest
@OnRealServices
@TestProfile(DoorsTest.Guarded.class)
class DoorsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int CALLS_AT_ONCE = 5 * 10;
  private static final int OPEN_LOGS = 2;
  private static final int CHUNKS = 60;
  private static final int CHUNK = 500_000;

  /** Fewer calls than a token may make in the long run. */
  private static final Duration UNHURRIED = Duration.ofMillis(300);

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  @ConfigProperty(name = "doors.ca")
  Path ca;

  @ConfigProperty(name = "doors.certificates")
  Path certificates;

  @TestHTTPResource(value = "/", tls = true)
  URI https;

  @Inject ManagementPort management;
  @Inject OpenTails tails;

  /** A certificate of its own, a port for watching, and tight limits. */
  public static class Guarded implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      try {
        Path folder = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "doors");
        AccessTokens tokens = AccessTokens.none();
        for (String name : List.of("ann", "bea", "cal", "hasty")) {
          String hash = AccessTokens.hash(AccessTokens.PREFIX + name);
          tokens =
              tokens.with(
                  new Token(
                      name,
                      AccessRole.SUBMIT.key(),
                      List.of(),
                      hash,
                      Instant.now().toString(),
                      null));
        }
        String submit = AccessRole.SUBMIT.key();
        tokens =
            tokens.with(
                new Token("dora", submit, List.of("vision"), null, Instant.now().toString(), null));
        Path file = Files.write(folder.resolve("tokens.json"), Json.bytes(tokens));
        Path certificate = Certified.authority(folder, "server");
        Path authority = Certified.authority(folder, "authority");
        for (String name : List.of("dora", "ann", "nobody")) {
          Certified.certificate(folder, "authority", name);
        }
        Certified.authority(folder, "foreign");
        Certified.certificate(folder, "foreign", "dora-of-foreign");
        Map<String, String> settings = new HashMap<>();
        settings.put("stoker.http.client-ca", authority.toString());
        settings.put("doors.certificates", folder.toString());
        settings.put("stoker.http.tokens-file", file.toString());
        settings.put("stoker.http.management-port", "0");
        settings.put("stoker.http.calls-per-second", "5");
        settings.put("stoker.http.open-logs", Integer.toString(OPEN_LOGS));
        settings.put("stoker.http.stalled-logs", "2s");
        settings.put(
            "quarkus.http.ssl.certificate.key-store-file", folder.resolve("server.p12").toString());
        settings.put("quarkus.http.ssl.certificate.key-store-password", "changeit");
        settings.put("quarkus.http.test-ssl-port", "0");
        settings.put("doors.ca", certificate.toString());
        return settings;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void commandLine_byHttps_believesTheCertificatesOfCaAlone() {
    URI base = URI.create(https.toString().replaceAll("/$", ""));
    Optional<String> token = Optional.of(AccessTokens.PREFIX + "ann");
    try (RestClient rest =
        new RestClient(base, new Access(token, Optional.of(ca), Optional.empty()))) {
      assertThat(rest.get("/whoami").body().path("name").asText()).isEqualTo("ann");
    }
    try (RestClient rest =
        new RestClient(base, new Access(token, Optional.empty(), Optional.empty()))) {
      assertThatThrownBy(() -> rest.get("/whoami"))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("certificat");
    }
  }

  /** As browsers do by HTTPS, where the call's host is told otherwise than by HTTP/1.1. */
  @Test
  void form_byHttp2_isTakenFromOwnPagesAlone() throws Exception {
    String own = https.getScheme() + "://" + https.getAuthority();
    HttpResponse<String> taken = login(own);

    assertThat(taken.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(taken.statusCode()).isEqualTo(303);
    assertThat(login("https://" + https.getHost()).body()).contains("foreign-page");
    assertThat(login("https://evil.example").statusCode()).isEqualTo(403);
  }

  private HttpResponse<String> login(String origin) throws Exception {
    HttpRequest form =
        HttpRequest.newBuilder(https.resolve("/page/login"))
            .header("Origin", origin)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString("token=" + AccessTokens.PREFIX + "bea"))
            .build();
    SSLContext tls = Certified.sending(certificates, "dora", ca);
    try (HttpClient browser = HttpClient.newBuilder().sslContext(tls).build()) {
      return browser.send(form, HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Whose name is in the file of tokens for a certificate; a token that is sent goes before it. */
  @Test
  void certificate_thatAnAuthoritySigned_saysWhoCalls() {
    assertThat(whoami("dora", Optional.empty()).toString())
        .contains("\"name\":\"dora\"", "\"role\":\"submit\"", "vision");
    assertThat(whoami("dora", Optional.of(AccessTokens.PREFIX + "bea")).path("name").asText())
        .isEqualTo("bea");
    assertRefused("nobody", "401: certificate: CN=nobody");
    // She has a token, so no certificate counts for her.
    assertRefused("ann", "401: certificate: CN=ann");
    // The command line sends no certificate that nobody asks for.
    assertRefused("dora-of-foreign", "401: Authorization: none");
  }

  @Test
  void certificate_ofAForeignAuthority_endsTheConnection() throws Exception {
    assertThat(https("dora").getResponseCode()).isEqualTo(200);
    assertThatThrownBy(() -> https("dora-of-foreign").getResponseCode())
        .isInstanceOf(IOException.class);
  }

  /** A call with a certificate that is sent whether it is asked for or not. */
  private HttpsURLConnection https(String certificate) throws Exception {
    HttpsURLConnection call =
        (HttpsURLConnection) https.resolve("/whoami").toURL().openConnection();
    call.setSSLSocketFactory(Certified.sending(certificates, certificate, ca).getSocketFactory());
    return call;
  }

  private void assertRefused(String certificate, String reason) {
    assertThatThrownBy(() -> whoami(certificate, Optional.empty()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining(reason);
  }

  private JsonNode whoami(String certificate, Optional<String> token) {
    URI base = URI.create(https.toString().replaceAll("/$", ""));
    Optional<Path> own = Optional.of(certificates.resolve(certificate + ".pem"));
    try (RestClient rest = new RestClient(base, new Access(token, Optional.of(ca), own))) {
      return rest.get("/whoami").body();
    }
  }

  @Test
  void watching_hasAPortOfItsOwn_whereTokensCount() {
    int port = management.actual().orElseThrow();

    given().get("/q/health/live").then().statusCode(404);
    as("ann").get("/q/metrics").then().statusCode(404);
    given().port(port).get("/q/health/live").then().statusCode(200);
    given().port(port).get("/q/metrics").then().statusCode(401);
    as("ann").port(port).get("/q/metrics").then().statusCode(200);
    as("ann").port(port).get("/whoami").then().statusCode(404);
    as("ann")
        .port(port)
        .contentType(ContentType.JSON)
        .body("{}")
        .post("/requests")
        .then()
        .statusCode(404);
    given()
        .port(port)
        .header("Host", "rebound.evil.example:" + port)
        .get("/q/health/live")
        .then()
        .statusCode(403)
        .body("type", equalTo("urn:stoker:problem:foreign-name"));
  }

  @Test
  void calls_beyondWhatATokenMayMake_areHeldUp() {
    int answered = 0;
    Response answer = as("hasty").get("/whoami");
    while (answer.statusCode() == 200) {
      answered++;
      answer = as("hasty").get("/whoami");
    }

    assertThat(answered).isGreaterThanOrEqualTo(CALLS_AT_ONCE);
    answer
        .then()
        .statusCode(429)
        .header("Retry-After", "1")
        .body("type", equalTo("urn:stoker:problem:too-many"));
    as("bea").get("/whoami").then().statusCode(200);
  }

  @Test
  void logs_moreThanOneMayRead_areRefused() throws Exception {
    String id = post("cal");
    job(id);
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < OPEN_LOGS; i++) {
        open.add(askForLogs("cal", id));
      }
      // The job writes nothing and does not end, so that they stay.
      await().atMost(SOON).until(() -> tails.of("cal") == OPEN_LOGS);

      as("cal")
          .get("/requests/{id}/logs", id)
          .then()
          .statusCode(429)
          .body("field", equalTo("logs"));
      as("cal").get("/requests/{id}", id).then().statusCode(200);
    } finally {
      for (Socket one : open) {
        one.close();
      }
    }
    await().atMost(SOON).until(() -> tails.of("cal") == 0);
  }

  @Test
  void logs_thatNobodyTakes_areClosed() throws Exception {
    String id = post("bea");
    write(job(id));

    try (Socket idle = askForLogs("bea", id)) {
      InputStream answer = idle.getInputStream();
      await().atMost(SOON).until(() -> answer.available() > 0);
      // Nobody reads, so it ends by itself, though the job does not.
      await().atMost(SOON).until(() -> tails.of("bea") == 0);

      assertThat((long) answer.readAllBytes().length).isLessThan((long) CHUNKS * CHUNK);
    }
  }

  /** Asks and reads nothing of the answer. */
  private static Socket askForLogs(String name, String id) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress("127.0.0.1", RestAssured.port));
    String call =
        "GET /requests/%s/logs?follow=true HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(id, AccessTokens.PREFIX + name);
    socket.getOutputStream().write(call.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String post(String name) {
    String id = UUID.randomUUID().toString();
    as(name)
        .contentType(ContentType.JSON)
        .body("{\"id\":\"%s\",\"command\":[\"%s\"]}".formatted(id, id))
        .post("/requests")
        .then()
        .statusCode(202);
    return id;
  }

  private static String job(String id) {
    return await()
        .atMost(SOON)
        .pollInterval(UNHURRIED)
        .until(
            () -> as("ann").get("/requests/{id}/details", id), answer -> answer.statusCode() == 200)
        .path("status.job");
  }

  /** More output than the buffers of any network hold. */
  private void write(String job) throws Exception {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    String text = "x".repeat(CHUNK);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int n = 0; n < CHUNKS; n++) {
        LogChunk chunk =
            new LogChunk(
                new LogChunk.Source(job, 1, null, "host", "r"),
                "stdout",
                n,
                System.currentTimeMillis(),
                text,
                false,
                false);
        producer
            .send(
                new ProducerRecord<>(
                    topics.logs(), job.getBytes(StandardCharsets.UTF_8), Json.bytes(chunk)))
            .get();
      }
    }
  }

  private static RequestSpecification as(String name) {
    return given().header("Authorization", "Bearer " + AccessTokens.PREFIX + name);
  }
}
