package io.stoker.dispatcher.service.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoginFormsTest {
  @ParameterizedTest
  @ValueSource(strings = {"/", "/jobs", "/jobs?text=a%09b&state=FAILED", "/groups/größe"})
  void whoHasLoggedIn_isSentWhereTheyWanted(String to) {
    assertThat(LoginForms.here(to)).isEqualTo(to);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "/jobs\r\nx: y",
        "https://evil.example",
        ""
      })
  void butNowhereElse(String to) {
    assertThat(LoginForms.here(to)).isEqualTo("/");
  }
}
