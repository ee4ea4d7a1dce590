package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LogStreamTest {
  @Test
  void html_ofOutput_isText() {
    assertThat(LogStream.html(List.of("<b>", "a & b\n")))
        .isEqualTo("<span>&lt;b&gt;a &amp; b\n</span>");
  }

  @Test
  void html_ofMoreThanAnybodyReads_saysHowMuchIsLeftOut() {
    String html = LogStream.html(List.of("x".repeat(70_000), "end"));
    assertThat(html).contains("4,467 characters are left out").endsWith("xend</span>");
  }
}
