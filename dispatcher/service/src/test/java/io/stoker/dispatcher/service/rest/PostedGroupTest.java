package io.stoker.dispatcher.service.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostedGroupTest {
  /** Posts of one id make one group: a blank one would be everybody's. */
  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void anIdOfNothingIsRefused(String id) {
    byte[] body = "{\"id\":\"%s\",\"after\":\"a\"}".formatted(id).getBytes(UTF_8);

    ApiException refused = catchThrowableOfType(ApiException.class, () -> PostedGroup.read(body));

    assertThat(refused.error().status()).isEqualTo(400);
    assertThat(refused.error().field()).isEqualTo("id");
  }

  @Test
  void anIdMayBeLeftOut() {
    assertThat(PostedGroup.read("{\"after\":\"a\"}".getBytes(UTF_8)).id()).isNull();
    assertThat(PostedGroup.read("{\"id\":null}".getBytes(UTF_8)).id()).isNull();
  }
}
