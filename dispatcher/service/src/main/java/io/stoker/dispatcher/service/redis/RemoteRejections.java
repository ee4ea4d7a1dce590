package io.stoker.dispatcher.service.redis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.host.RecentRejections.News;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.nio.charset.StandardCharsets;
import org.jboss.logging.Logger;

/**
 * Tells the other replicas which hosts gave placements back. The one that hears an agent is seldom
 * the one that schedules, which would ask the same host again at once, and again.
 */
@ApplicationScoped
public class RemoteRejections {
  private static final Logger LOG = Logger.getLogger(RemoteRejections.class);

  private final RecentRejections rejections;
  private final ReplicaPubSub pubSub;

  RemoteRejections(ReplicaChannels channels, RecentRejections rejections) {
    this.rejections = rejections;
    pubSub = channels.open("refusals", this::heard);
  }

  void start(@Observes StartupEvent event) {
    pubSub.start();
  }

  void stop(@Observes ShutdownEvent event) {
    pubSub.stop();
  }

  void tell(@Observes News news) {
    String text =
        Json.text(
            JsonNodeFactory.instance
                .objectNode()
                .put("host", news.host())
                .put("shape", news.shape())
                .put("forMs", news.forMs()));
    pubSub.tell(text).subscribe().with(told -> {});
  }

  private void heard(String text) {
    try {
      JsonNode told = Json.read(text.getBytes(StandardCharsets.UTF_8));
      // A replica of the build before does not say for how long.
      long forMs = told.path("forMs").asLong(RecentRejections.LONGEST.toMillis());
      rejections.heard(new News(told.path("host").asText(), told.path("shape").textValue(), forMs));
    } catch (MalformedJson e) {
      LOG.debugf("no news of a host: %s", e.getMessage());
    }
  }
}
