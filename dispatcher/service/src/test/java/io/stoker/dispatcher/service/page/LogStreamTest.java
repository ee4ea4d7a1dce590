package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.service.page.LogStream.Said;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogStreamTest {
  @Test
  void said_ofOutput_isItsText() {
    assertThat(LogStream.said(List.of("<b>", "a & b\n"))).isEqualTo(new Said("<b>a & b\n", 0));
  }

  @Test
  void said_ofMoreThanAnybodyReads_isItsEndAndHowMuchIsLeftOut() {
    Said said = LogStream.said(List.of("x".repeat(70_000), "end"));
    assertThat(said.left()).isEqualTo(4467);
    assertThat(said.text()).hasSize(64 * 1024).endsWith("xend");
  }
}
