package io.stoker.dispatcher.model;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.scenario.Scene;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoredRequestTest {
  private final Scene scene = new Scene();

  @Test
  void unreadable_ofJobsWithOneThatCanBeRead_namesTheOthers() {
    scene.post(
        aRequest("alone").meaning("1"),
        aRequest("first").meaning("2"),
        aRequest("sharer").meaning("2"),
        aRequest("good").meaning("3"));
    List<RequestRow> rows = new ArrayList<>(scene.store().open().requests().all());
    rows.replaceAll(
        row -> List.of("alone", "first").contains(row.id()) ? row.inForce("{\"id\":1}") : row);

    assertThat(StoredRequest.unreadable(rows)).containsOnlyKeys(scene.job("alone").id());
  }
}
