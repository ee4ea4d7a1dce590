package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.service.rest.OwnPages.Foreign;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnPagesTest {
  private final OwnPages pages = new OwnPages(List.of("https://board.example"));

  /** An empty cell is a header that is not sent. */
  @ParameterizedTest
  @CsvSource({
    // reading, Origin, Sec-Fetch-Site, Sec-Fetch-Mode, what refuses it
    "true,  ,                      ,            ,         ",
    "false, ,                      ,            ,         ",
    "false, http://box:8080,       same-origin, cors,     ",
    "false, ,                      none,        navigate, ",
    "false, https://evil.example,  cross-site,  cors,     Origin",
    "true,  https://evil.example,  ,            cors,     Origin",
    "false, null,                  ,            ,         Origin",
    "false, ,                      cross-site,  no-cors,  Sec-Fetch-Site",
    "false, ,                      same-site,   no-cors,  Sec-Fetch-Site",
    "false, ,                      cross-site,  navigate, Sec-Fetch-Site",
    "true,  ,                      cross-site,  no-cors,  Sec-Fetch-Site",
    "true,  ,                      cross-site,  navigate, ",
    "true,  https://board.example, cross-site,  cors,     ",
    "false, https://board.example, cross-site,  cors,     "
  })
  void refusal_ofAPage_namesTheHeader(
      boolean reading, String origin, String site, String mode, String refusedBy) {
    Optional<Foreign> refusal =
        pages.refusal(
            reading,
            "box:8080",
            name ->
                switch (name) {
                  case "Origin" -> origin;
                  case "Sec-Fetch-Site" -> site;
                  default -> mode;
                });
    assertThat(refusal.map(Foreign::header)).isEqualTo(Optional.ofNullable(refusedBy));
  }
}
