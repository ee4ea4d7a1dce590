package io.stoker.dispatcher.service.page;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.report.GroupFacts.Item;
import io.stoker.dispatcher.report.ParameterPlots;
import io.stoker.dispatcher.report.ScorePlot;
import io.stoker.dispatcher.service.rest.GroupView;
import io.stoker.dispatcher.service.rest.ReportsResource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A group as its page shows it.
 *
 * @param looked requests that are looked at for all else: the first by arrival
 * @param scores a drawing of the scores as they came, escaped; null if there are none
 * @param plots scores against each parameter
 * @param ranked requests, the best first, then those without a score in order of arrival
 * @param stopped those that were ended early
 * @param left requests that are not among these, since there are so many
 */
public record GroupPageView(
    GroupView group,
    long looked,
    @JsonIgnore String scores,
    @JsonIgnore ParameterPlots.Drawn plots,
    List<Item> ranked,
    List<Item> stopped,
    long left) {
  /** Rows that a person looks through; the report has all. */
  private static final int MOST = 200;

  /** A part of a group in a state. */
  public record Part(String state, String x, String width, long count) {}

  static GroupPageView of(GroupView group, GroupFacts facts) {
    Comparator<Double> better =
        "min".equals(facts.objective()) ? Comparator.naturalOrder() : Comparator.reverseOrder();
    List<Item> ranked =
        facts.requests().stream()
            .sorted(
                Comparator.comparing(
                    one -> one.state() == RequestState.SUCCEEDED ? one.score() : null,
                    Comparator.nullsLast(better)))
            .limit(MOST)
            .toList();
    return new GroupPageView(
        group,
        facts.requests().size(),
        ScorePlot.of(facts).orElse(null),
        ParameterPlots.of(facts),
        ranked,
        facts.requests().stream().filter(one -> one.code() == Code.EARLY_STOPPED).toList(),
        facts.total() - ranked.size());
  }

  /** Of which jobs what is plotted and ranked is, in words; null if it is of all. */
  public String cut() {
    if (looked >= group.total()) {
      return null;
    }
    return String.format(
        Locale.ROOT,
        "of the first %,d of %,d jobs; the report has %s",
        looked,
        group.total(),
        group.total() <= ReportsResource.MOST
            ? "all"
            : String.format(Locale.ROOT, "the first %,d", ReportsResource.MOST));
  }

  /** Its requests by where they stand, as parts of one bar. */
  public List<Part> parts() {
    String[] states = {"succeeded", "failed", "cancelled", "running", "placed", "waiting"};
    long[] counts = {
      group.succeeded(),
      group.failed(),
      group.cancelled(),
      group.running(),
      group.placed(),
      group.waiting()
    };
    List<Part> parts = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < states.length; i++) {
      if (counts[i] > 0) {
        double width = 100.0 * counts[i] / group.total();
        parts.add(new Part(states[i], Texts.share(at), Texts.share(width), counts[i]));
        at += width;
      }
    }
    return parts;
  }

  /** Whether something of it can still be stopped. */
  public boolean live() {
    return group.done() < group.total() || group.state() == GroupView.State.OPEN;
  }
}
