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
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.MailTable;
import io.stoker.dispatcher.service.testing.KeyedAndMailing;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
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
      String first = ended();
      await().atMost(SOON).until(() -> server.getReceivedMessages().length == 1);
      var mail = server.getReceivedMessages()[0];
      assertThat(mail.getSubject())
          .startsWith("Stoker: " + first + " ENDED, 0 total, 0 successful, 0 failed, ");
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
    } finally {
      again.stop();
    }
  }

  /** Whether it was mailed, or tried to be. */
  private boolean nothingDue(String group) {
    mailer.look().await().atMost(SOON);
    return database.read(session -> MailTable.due(session, 0, 100)).await().atMost(SOON).stream()
        .noneMatch(group::equals);
  }

  private GreenMail server() {
    GreenMail server = new GreenMail(new ServerSetup(port, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    server.start();
    return server;
  }

  private static String ended() {
    String group = UUID.randomUUID().toString();
    given().post("/groups/{g}/close", group).then().statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/groups/{g}", group).then().body("state", equalTo("ENDED")));
    return group;
  }
}
