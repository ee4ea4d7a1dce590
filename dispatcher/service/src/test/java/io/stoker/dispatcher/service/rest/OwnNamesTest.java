package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnNamesTest {
  private final OwnNames plain = new OwnNames(List.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:8080",
        "LOCALHOST.",
        "127.0.0.1:8080",
        "10.1.2.3",
        "[::1]",
        "[fd00::1]:8080",
        "dispatcher:8080",
        "gpu-box.local",
        "dispatcher.stoker.svc:8080",
        "dispatcher.stoker.svc.cluster.local",
        "ip-10-0-0-1.ec2.internal"
      })
  void has_nameThatNobodyCanRegister_isTaken(String host) {
    assertThat(plain.has(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "local.example.",
        "1.2.3.4.5",
        "evil.example:8080:8080"
      })
  void has_nameThatAnybodyCanRegister_isRefused(String host) {
    assertThat(plain.has(host)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stoker.example.com", "Stoker.Example.com.:443"})
  void has_configuredName_isTaken(String host) {
    assertThat(new OwnNames(List.of("stoker.example.com")).has(host)).isTrue();
    assertThat(new OwnNames(List.of("*")).has(host)).isTrue();
    assertThat(new OwnNames(List.of("example.com")).has(host)).isFalse();
  }
}
