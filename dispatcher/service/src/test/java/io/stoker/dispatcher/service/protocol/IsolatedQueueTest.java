package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A queue that is configured to share with nobody. */
@QuarkusTest
@OnRealServices
@TestProfile(IsolatedQueueTest.Apart.class)
class IsolatedQueueTest extends WithSite {
  private final String work = Site.unique("work");

  /** One such queue. */
  public static class Apart implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("stoker.queues.apart.open", "true", "stoker.queues.apart.isolated", "true");
    }
  }

  @Test
  void equalWork_ofAnIsolatedQueue_isSharedWithinItAlone() {
    String open = job("open", "default");
    String apart = job("apart", "apart");

    assertThat(apart).isNotEqualTo(open);
    assertThat(job("again", "apart")).isEqualTo(apart);
    assertThat(job("open again", "default")).isEqualTo(open);
  }

  private String job(String id, String queue) {
    String unique = Site.unique(id.replace(' ', '-'));
    ARequest request = aRequest(unique).meaning(work).queue(queue);
    site.post(request);
    return site.statuses().await(unique, RequestState.QUEUED).job();
  }
}
