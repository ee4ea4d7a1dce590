package io.stoker.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.local.LastStart;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChangesTest {
  @Test
  void whatDiffersIsSaidAndSecretsAreHidden() {
    LastStart before =
        new LastStart(
            1,
            2,
            0,
            "a",
            Map.of(
                "stoker.lease.duration", "30s",
                "stoker.mail.password", "old",
                "stoker.mail.to", "a@b",
                "stoker.mail.port", "25"));
    LastStart now =
        new LastStart(
            1,
            3,
            0,
            "b",
            Map.of(
                "stoker.lease.duration", "20s",
                "stoker.mail.password", "new",
                "stoker.mail.from", "",
                "stoker.mail.port", "25"));

    assertThat(Changes.between(before, now))
        .containsExactly(
            "--hosts: 2 → 3",
            "stoker.lease.duration: 30s → 20s",
            "stoker.mail.from: not set → empty",
            "stoker.mail.password: (hidden) → (hidden)",
            "stoker.mail.to: a@b → not set");
    assertThat(Changes.between(now, now)).isEmpty();
  }
}
