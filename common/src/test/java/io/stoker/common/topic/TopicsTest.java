package io.stoker.common.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.topic.Topics.Layout;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TopicsTest {
  private static final Topics TOPICS = new Topics("lab.");

  @Test
  void everyTopicStartsWithThePrefix() {
    assertThat(TOPICS.layouts())
        .extracting(Layout::name)
        .containsExactlyInAnyOrder(
            "lab.requests",
            "lab.control",
            "lab.events",
            "lab.heartbeats",
            "lab.status",
            "lab.logs",
            "lab.dead-letters",
            "lab.audit");
    assertThat(TOPICS.placements("edge-1")).isEqualTo("lab.placements.edge-1");
  }

  @Test
  void aQueuesOwnTopicNamesIt() {
    assertThat(TOPICS.requests("night.runs")).isEqualTo("lab.requests.night.runs");
    assertThat(TOPICS.queueOf("lab.requests.night.runs")).contains("night.runs");
    assertThat(TOPICS.queueOf("lab.requests")).isEmpty();
    assertThat(TOPICS.queueOf("lab.requestsx")).isEmpty();
  }

  @Test
  void layoutsAmongTopics_haveThoseOfQueuesBesideTheMainOnes() {
    List<String> there =
        List.of("lab.requests", "lab.requests.night", "x.requests.day", "lab.placements.h");
    assertThat(TOPICS.layoutsAmong(there)).isEqualTo(TOPICS.layouts(List.of("night")));
  }

  @Test
  void theBusyTopicsAreSplitAndTheOrderedOnesAreNot() {
    Set<String> ordered =
        Set.of(TOPICS.control(), TOPICS.heartbeats(), TOPICS.deadLetters(), TOPICS.audit());
    for (Layout layout : TOPICS.layouts()) {
      assertThat(layout.partitions())
          .as(layout.name())
          .isEqualTo(ordered.contains(layout.name()) ? 1 : 4);
    }
  }

  @Test
  void aHostsTopicHasOnePartitionAndForgetsWithinHours() {
    assertThat(TOPICS.placementsLayout("edge-1"))
        .isEqualTo(
            new Layout(
                "lab.placements.edge-1",
                1,
                Map.of("cleanup.policy", "delete", "retention.ms", "14400000")));
  }
}
