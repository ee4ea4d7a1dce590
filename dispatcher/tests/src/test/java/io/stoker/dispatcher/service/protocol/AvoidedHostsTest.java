package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of two hosts, the one that a request avoids, or on which its job failed, does not serve it. */
@QuarkusTest
@OnRealServices
class AvoidedHostsTest {
  private final String one = Site.unique("one");
  private final String two = Site.unique("two");
  private final String pair = Site.unique("pair");
  private Site site;
  private HandAgent first;
  private HandAgent second;

  @BeforeEach
  void open() {
    site = new Site();
    first = HandAgent.start(site, one, pair);
    second = HandAgent.start(site, two, pair);
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
    site.close();
  }

  @Test
  void theRequestSaysWhichHostMustNotServeIt() {
    for (HandAgent avoided : new HandAgent[] {first, second}) {
      HandAgent other = avoided == first ? second : first;
      String id = Site.unique("avoids");
      site.post(onThePair(id).resource("avoid", new String[] {avoided.host()}));

      other.succeed(other.awaitPlace(id, 1));

      assertThat(site.statuses().await(id, RequestState.SUCCEEDED).host()).isEqualTo(other.host());
      assertThat(avoided.timesTold(id, 1)).isZero();
    }
  }

  @Test
  void aRetryGoesToTheOtherHostAndTheThirdToEither() {
    String id = Site.unique("fails");
    site.post(onThePair(id).retry("launch", 2));
    HandAgent took = tookFirst(id);
    HandAgent other = took == first ? second : first;
    took.failToLaunch(took.awaitPlace(id, 1));

    ToAgent.Place again = other.awaitPlace(id, 2);
    assertThat(took.timesTold(id, 2)).isZero();
    other.failToLaunch(again);
    first.beat(0);
    second.beat(0);
    TopicLog.until(
        "both have failed it, and one of them is asked again",
        () -> took.timesTold(id, 3) + other.timesTold(id, 3) > 0);
    HandAgent last = took.timesTold(id, 3) > 0 ? took : other;
    last.failToLaunch(last.awaitPlace(id, 3));

    assertThat(site.statuses().await(id, RequestState.FAILED).code())
        .isEqualTo(Code.LAUNCH_FAILURE);
  }

  /** Hosts of other tests may still seem to be there. */
  private ARequest onThePair(String id) {
    return aRequest(id).resource("require", Map.of("only", pair));
  }

  private HandAgent tookFirst(String id) {
    TopicLog.until(
        "the first placement", () -> first.timesTold(id, 1) + second.timesTold(id, 1) > 0);
    return first.timesTold(id, 1) > 0 ? first : second;
  }
}
