package io.stoker.common.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessTokens.Token;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessTokensTest {
  private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

  private final String secret = AccessTokens.random(AccessTokens.PREFIX);
  private final AccessTokens tokens =
      AccessTokens.none()
          .with(token("ann", "submit", AccessTokens.hash("other"), null))
          .with(token("bob", "read", AccessTokens.hash(secret), "2026-01-31T12:00:01Z"));

  @Test
  void find_itsToken_isFoundUntilItExpires() {
    assertThat(tokens.find(secret, NOW)).map(Token::name).hasValue("bob");
    assertThat(tokens.find(secret, NOW.plusSeconds(1))).isEmpty();
    assertThat(tokens.find(secret + "x", NOW)).isEmpty();
    assertThat(tokens.without("bob").find(secret, NOW)).isEmpty();
  }

  @Test
  void certified_ofWhoHasNoToken_isFoundUntilItExpires() throws MalformedJson {
    AccessTokens both =
        AccessTokens.read(
            Json.bytes(tokens.with(token("ci", "submit", null, "2026-01-31T12:00:01Z"))));

    assertThat(both.certified("ci", NOW)).isPresent();
    assertThat(both.certified("ci", NOW.plusSeconds(1))).isEmpty();
    assertThat(both.certified("ann", NOW)).as("who has a token").isEmpty();
    assertThat(both.certified("nobody", NOW)).isEmpty();
    assertThat(both.find(secret, NOW)).map(Token::name).hasValue("bob");
  }

  @Test
  void read_whatWasWritten_isTheSameWithoutTheToken() throws MalformedJson {
    byte[] written = Json.bytes(tokens);

    assertThat(AccessTokens.read(written)).isEqualTo(tokens);
    assertThat(new String(written, StandardCharsets.UTF_8)).doesNotContain(secret);
  }

  @ParameterizedTest
  @CsvSource({
    "a b,  read, 2026-01-31T12:00:00Z, name: a b",
    "ann,  root, 2026-01-31T12:00:00Z, role of ann: root",
    "ann,  read, tomorrow,             expires of ann: tomorrow",
  })
  void read_whatIsWrong_isNamed(String name, String role, String expires, String problem) {
    byte[] written =
        Json.bytes(AccessTokens.none().with(token(name, role, AccessTokens.hash("x"), expires)));

    assertThatThrownBy(() -> AccessTokens.read(written))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining(problem);
  }

  @Test
  void includes_rolesBefore() {
    assertThat(AccessRole.OPERATE.includes(AccessRole.SUBMIT)).isTrue();
    assertThat(AccessRole.SUBMIT.includes(AccessRole.OPERATE)).isFalse();
  }

  private static Token token(String name, String role, String hash, String expires) {
    return new Token(name, role, List.of(), hash, NOW.toString(), expires);
  }
}
