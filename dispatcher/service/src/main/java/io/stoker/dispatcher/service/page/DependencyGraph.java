package io.stoker.dispatcher.service.page;

import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.rest.DetailsView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Draws a request, what it needs, and what waits for it, from left to right. Lists beside it have
 * all of them.
 *
 * @param height in pixels; it is {@value #WIDTH} wide
 * @param sentence the same for those who do not see it
 */
public record DependencyGraph(int height, List<Node> nodes, List<String> edges, String sentence) {
  public static final int WIDTH = 900;

  private static final int BOX_WIDTH = 250;
  private static final int BOX_HEIGHT = 38;
  private static final int ROW = 48;
  private static final int MARGIN = 6;
  private static final int SHOWN = 6;

  /** As much of an id as a box has room for. */
  private static final int BRIEF = 33;

  private static final int NEEDS_X = MARGIN;
  private static final int OWN_X = (WIDTH - BOX_WIDTH) / 2;
  private static final int DEPENDENTS_X = WIDTH - BOX_WIDTH - MARGIN;

  /**
   * A box.
   *
   * @param text its id, as far as there is room
   * @param state how it stands in one word, as style sheets name it; empty for one that stands for
   *     several
   */
  public record Node(int x, int y, String text, String state) {
    public int width() {
      return BOX_WIDTH;
    }

    public int height() {
      return BOX_HEIGHT;
    }

    public int textX() {
      return x + 10;
    }

    public int textY() {
      return state.isEmpty() ? y + 23 : y + 16;
    }

    public int stateY() {
      return y + 30;
    }
  }

  private record Shown(String id, RequestState state) {
    Node at(int x, int y) {
      String brief = id.length() > BRIEF ? id.substring(0, BRIEF - 1) + "…" : id;
      String word = state == null ? "never posted" : state.name().toLowerCase(Locale.ROOT);
      return new Node(x, y, brief, word);
    }
  }

  /** Nothing of a request that depends on none, and that none waits for. */
  static Optional<DependencyGraph> of(DetailsView details) {
    List<Shown> needs =
        details.dependencies().stream().map(one -> new Shown(one.id(), one.state())).toList();
    List<Shown> dependents =
        details.dependents().stream().map(one -> new Shown(one.id(), one.state())).toList();
    if (needs.isEmpty() && dependents.isEmpty()) {
      return Optional.empty();
    }
    int left = details.dependentsLeftOut() == null ? 0 : details.dependentsLeftOut();
    int rows = Math.max(1, Math.max(rows(needs.size()), rows(dependents.size() + left)));
    List<Node> before = column(NEEDS_X, needs, needs.size(), rows);
    List<Node> after = column(DEPENDENTS_X, dependents, dependents.size() + left, rows);
    Node own =
        column(OWN_X, List.of(new Shown(details.status().id(), details.status().state())), 1, rows)
            .getFirst();
    List<Node> nodes = new ArrayList<>(before);
    nodes.add(own);
    nodes.addAll(after);
    List<String> edges = new ArrayList<>();
    before.forEach(node -> edges.add(edge(node, own)));
    after.forEach(node -> edges.add(edge(own, node)));
    return Optional.of(
        new DependencyGraph(
            rows * ROW + 2 * MARGIN, nodes, edges, sentence(needs, dependents.size() + left)));
  }

  private static int rows(int all) {
    return all > SHOWN ? SHOWN + 1 : all;
  }

  private static List<Node> column(int x, List<Shown> some, int all, int rows) {
    int top = MARGIN + (rows - rows(all)) * ROW / 2;
    List<Node> nodes = new ArrayList<>();
    for (Shown one : some.subList(0, Math.min(SHOWN, some.size()))) {
      nodes.add(one.at(x, top + nodes.size() * ROW));
    }
    if (all > SHOWN) {
      nodes.add(new Node(x, top + SHOWN * ROW, "and %d more".formatted(all - SHOWN), ""));
    }
    return nodes;
  }

  private static String edge(Node from, Node to) {
    int x1 = from.x() + BOX_WIDTH;
    int y1 = from.y() + BOX_HEIGHT / 2;
    int y2 = to.y() + BOX_HEIGHT / 2;
    int middle = (x1 + to.x()) / 2;
    return "M %d %d C %d %d %d %d %d %d".formatted(x1, y1, middle, y1, middle, y2, to.x(), y2);
  }

  private static String sentence(List<Shown> needs, int dependents) {
    long over = needs.stream().filter(one -> one.state() != null && one.state().terminal()).count();
    return "It needs %d, of which %d are over; %d wait for it. The lists below name them."
        .formatted(needs.size(), over, dependents);
  }
}
