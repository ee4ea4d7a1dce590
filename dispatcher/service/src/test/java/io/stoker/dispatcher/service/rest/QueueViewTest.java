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
  void sharesAreOfWhatAllQueuesHaveHad() {
    QueueSettings gold =
        new QueueSettings("gold", 3, OptionalInt.of(4), OptionalInt.of(100), false);
    DeviceTime much = new DeviceTime(90_000, 0);
    DeviceTime little = new DeviceTime(30_000, 0);

    List<QueueView> views =
        QueueView.of(
            List.of(new QueueCount("gold", 7, 2)),
            Map.of(
                "gold", new Standing(gold, 2, much, much),
                "default", new Standing(QueueSettings.plain("default"), 0, little, little)));

    assertThat(views)
        .containsExactly(
            new QueueView("default", 0, 0, 1, null, null, 30, 0, 0.25, null),
            new QueueView("gold", 7, 2, 3, 4, 100, 90, 0, 0.75, null));
  }
}
