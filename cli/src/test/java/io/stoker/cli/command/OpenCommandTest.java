package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OpenCommandTest {
  private static final URI DISPATCHER = URI.create("http://127.0.0.1:8080");

  @Test
  void page_ofARequest_isItsAddress() {
    assertThat(OpenCommand.page(DISPATCHER, Optional.empty())).hasToString(DISPATCHER + "/");
    assertThat(OpenCommand.page(URI.create("http://box:1/stoker/"), Optional.of("a b/c")))
        .hasToString("http://box:1/stoker/requests/a%20b%2Fc");
  }

  @Test
  void browser_whereThereIsNoScreen_isNone() {
    assertThat(OpenCommand.browser(Map.of(), "Linux")).isEmpty();
    assertThat(OpenCommand.browser(Map.of("DISPLAY", ":0", "BROWSER", ""), "Linux")).isEmpty();
    assertThat(OpenCommand.browser(Map.of("DISPLAY", ":0"), "Linux")).contains("xdg-open");
    assertThat(OpenCommand.browser(Map.of("DISPLAY", ":0", "BROWSER", "lynx"), "Linux"))
        .contains("lynx");
    assertThat(OpenCommand.browser(Map.of(), "Mac OS X")).contains("open");
  }
}
