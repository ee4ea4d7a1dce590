package io.stoker.dispatcher.service.report;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.GreenMailUtil;
import com.icegreen.greenmail.util.ServerSetup;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.http.ContentType;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.MailTable;
import io.stoker.dispatcher.service.testing.KeyedAndMailing;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;

/** Reports by mail, received by a real server. */
@QuarkusTest
@OnRealServices
@TestProfile(KeyedAndMailing.class)
class ReportMailTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @ConfigProperty(name = "stoker.mail.port")
  int port;

  @Inject ReportMailer mailer;
  @Inject Database database;

  @Test
  void reportsAreMailedAndAMailThatFailsFailsNothing() throws Exception {
    GreenMail server = server();
    try {
      String first = endedLongAfterItWasClosed();
      await().atMost(SOON).until(() -> server.getReceivedMessages().length == 1);
      var mail = server.getReceivedMessages()[0];
      assertThat(mail.getSubject())
          .startsWith("Stoker: " + first + " ENDED, 1 total, 0 successful, 0 failed, ");
      assertThat(mail.getAllRecipients()).extracting(Object::toString).contains("lab@example.org");
      assertThat(GreenMailUtil.getWholeMessage(mail)).contains("report-1.html", "text/html");
    } finally {
      server.stop();
    }

    String second = ended();
    await().atMost(SOON).until(() -> nothingDue(second));
    given().get("/groups/{g}", second).then().body("state", equalTo("ENDED"));

    GreenMail again = server();
    try {
      String third = ended();
      mailer.look().await().atMost(SOON);
      given().get("/groups/{g}", third).then().body("state", equalTo("ENDED"));
      assertThat(again.getReceivedMessages()).as("two were sent, or tried").isEmpty();
      assertThat(due(0)).contains(third);
      assertThat(due(Long.MAX_VALUE)).isEmpty();
      assertThat(due(0)).as("those that ended too long ago are left out").isEmpty();
    } finally {
      again.stop();
    }
  }

  /** Whether it was mailed, or tried to be. */
  private boolean nothingDue(String group) {
    mailer.look().await().atMost(SOON);
    return !due(0).contains(group);
  }

  private List<String> due(long since) {
    return database.read(session -> MailTable.due(session, since, 100)).await().atMost(SOON);
  }

  /** As one with requests that run for days. */
  private String endedLongAfterItWasClosed() {
    String group = UUID.randomUUID().toString();
    // On no host that a test before this one may have left behind: it is to end by being cancelled.
    String request =
        "{\"id\":\"%1$s\",\"group\":\"%1$s\",\"command\":[\"%1$s\"],\"resources\":{\"require\":{\"only\":\"nowhere\"}}}"
            .formatted(group);
    given().contentType(ContentType.JSON).body(request).post("/requests").then().statusCode(202);
    awaitState(group, "OPEN");
    close(group);
    awaitState(group, "CLOSED");
    String sql = "update group_count set closed_at = closed_at - 172800000 where grp = '%s'";
    database
        .transaction(session -> session.createNativeQuery(sql.formatted(group)).executeUpdate())
        .await()
        .atMost(SOON);
    given().delete("/requests/{id}", group).then().statusCode(202);
    awaitState(group, "ENDED");
    return group;
  }

  private GreenMail server() {
    ServerSetup setup = new ServerSetup(port, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
    setup.setServerStartupTimeout(SOON.toMillis());
    GreenMail server = new GreenMail(setup);
    server.start();
    return server;
  }

  private static String ended() {
    String group = UUID.randomUUID().toString();
    close(group);
    awaitState(group, "ENDED");
    return group;
  }

  private static void close(String group) {
    given().post("/groups/{g}/close", group).then().statusCode(202);
  }

  private static void awaitState(String group, String state) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/groups/{g}", group).then().body("state", equalTo(state)));
  }
}
