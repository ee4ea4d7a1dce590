package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.service.postgres.ApiQueries.QueueCount;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class QueueViewTest {

  @Test
  void weights_areComparedAmongQueuesThatHaveJobs() {
    Map<String, Standing> standings =
        Map.of(
            "gold",
            standing("gold", 3),
            "silver",
            standing("silver", 1),
            "idle",
            standing("idle", 4));

    List<QueueView> views =
        QueueView.of(
            List.of(new QueueCount("gold", 7, 0), new QueueCount("silver", 0, 1)),
            Map.of(),
            standings);

    assertThat(views).extracting(QueueView::weightShare).containsExactly(0.75, null, 0.25);
  }

  private static Standing standing(String queue, double weight) {
    return Standing.fresh(
        new QueueSettings(queue, weight, OptionalInt.empty(), OptionalInt.empty(), false));
  }

  @Test
  void sharesAreOfWhatAllQueuesHaveHad() {
    QueueSettings gold =
        new QueueSettings("gold", 3, OptionalInt.of(4), OptionalInt.of(100), false);
    DeviceTime much = new DeviceTime(90_000, 0);
    DeviceTime little = new DeviceTime(30_000, 0);

    List<QueueView> views =
        QueueView.of(
            List.of(new QueueCount("gold", 7, 2)),
            Map.of("gold", 1_700_000_000_000L),
            Map.of(
                "gold", new Standing(gold, 2, much, much),
                "default", new Standing(QueueSettings.plain("default"), 0, little, little)));

    assertThat(views)
        .containsExactly(
            new QueueView("default", 0, 0, null, 1, null, null, null, 30, 0, 0.25, null),
            new QueueView(
                "gold", 7, 2, "2023-11-14T22:13:20.000Z", 3, 1.0, 4, 100, 90, 0, 0.75, null));
  }
}
