package io.stoker.simulation;

import io.stoker.dispatcher.host.RecentRejections.News;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What replicas tell each other by Redis, as RemoteRefusals: without any promise. Each that is
 * there hears it a moment later, who tells it too, or does not.
 */
final class SimReplicaPubSub {
  private final World world;
  private final Map<Life, Consumer<News>> readers = new LinkedHashMap<>();
  private int heard;

  SimReplicaPubSub(World world) {
    this.world = world;
  }

  void join(Life life, Consumer<News> reader) {
    readers.keySet().removeIf(Life::over);
    readers.put(life, reader);
  }

  void tell(Life by, News news) {
    readers.forEach(
        (life, reader) -> {
          if (world.fault(Fault.NEWS_LOST)) {
            world.note(life.name(), "does not hear " + news);
          } else {
            world.timeline.after(world.delay(), life, () -> hear(by, life, reader, news));
          }
        });
  }

  private void hear(Life by, Life life, Consumer<News> reader, News news) {
    reader.accept(news);
    heard += by == life ? 0 : 1;
  }

  /** How often a replica heard another one. */
  int heard() {
    return heard;
  }
}
