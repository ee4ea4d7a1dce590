package io.stoker.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.top.Wish.Order;
import org.junit.jupiter.api.Test;

class WishTest {
  private static final String ESCAPE = "\u001b";

  @Test
  void qIsTheEnd() {
    assertThat(after("q").over()).isTrue();
    assertThat(after("sx\n").over()).isFalse();
  }

  @Test
  void sGoesThroughTheOrdersAndBegins() {
    assertThat(after("s").order()).isEqualTo(Order.LONGEST);
    assertThat(after("s".repeat(Order.values().length)).order()).isEqualTo(Order.NEWEST);
    assertThat(after("s").keys()).contains("s sort: longest");
  }

  @Test
  void aFilterIsTypedAndKept() {
    Wish typing = after("/qs");
    assertThat(typing.keys()).startsWith("filter: qs_");
    assertThat(typing.over()).as("letters of a filter are no commands").isFalse();
    assertThat(typing.order()).isEqualTo(Order.NEWEST);

    assertThat(after("/qsx\u007f\n")).isEqualTo(new Wish(Order.NEWEST, "qs", false, false));
    assertThat(after("/qs\nq").over()).isTrue();
    assertThat(after("/\u007f\u0008\n").filter()).isEmpty();
    assertThat(after("/" + "x".repeat(99)).filter()).hasSize(40);
  }

  @Test
  void escapeTakesTheFilterAway() {
    assertThat(after("/vision" + ESCAPE)).isEqualTo(Wish.FIRST);
    assertThat(after("/vision\n" + ESCAPE)).isEqualTo(Wish.FIRST);
  }

  @Test
  void aFilterIsFoundInAnyCaseAndAnyText() {
    Wish wish = after("/Vis\n");
    assertThat(wish.wants("train-1", null, "VISION")).isTrue();
    assertThat(wish.wants("train-1", null)).isFalse();
    assertThat(Wish.FIRST.wants("")).isTrue();
  }

  private static Wish after(String keys) {
    Wish wish = Wish.FIRST;
    for (char key : keys.toCharArray()) {
      wish = wish.after(key);
    }
    return wish;
  }
}
