package io.stoker.dispatcher.service.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.runtime.StartupEvent;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.common.security.AccessRole;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.config.StokerConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OidcSettingsTest {
  private static final String ANY = "https://sso.example/realm";
  private static final String PREFIX = "stoker.oidc";

  private static SmallRyeConfigBuilder builder() {
    return new SmallRyeConfigBuilder().withMapping(StokerConfig.Oidc.class, PREFIX);
  }

  /** Of these keys, below {@code stoker.oidc}. */
  static OidcSettings of(Map<String, String> keys) {
    Map<String, String> whole = new HashMap<>();
    keys.forEach((key, value) -> whole.put(PREFIX + "." + key, value));
    return settings(builder().withDefaultValues(whole).build(), true);
  }

  private static OidcSettings settings(SmallRyeConfig config, boolean withFile) {
    return new OidcSettings(config.getConfigMapping(StokerConfig.Oidc.class, PREFIX), withFile);
  }

  @ParameterizedTest
  @CsvSource({
    // issuer, client-id, roles.admin, with a file, what is wrong
    "sso.example,          stoker, x, true,  stoker.oidc.issuer is sso.example",
    "file:///etc,          stoker, x, true,  stoker.oidc.issuer is file",
    "https://sso.example,  '',     x, true,  stoker.oidc.client-id is not",
    "https://sso.example,  stoker, x, false, stoker.http.tokens-file is not",
    "https://sso.example,  stoker, '', true, none of stoker.oidc.roles.read",
  })
  void start_ofWhatCannotWork_saysWhichKeyIsWrong(
      String issuer, String client, String admins, boolean withFile, String expected) {
    Map<String, String> keys = new HashMap<>();
    keys.put("stoker.oidc.issuer", issuer);
    keys.put("stoker.oidc.client-id", client);
    keys.put("stoker.oidc.roles.admin", admins);
    OidcSettings settings = settings(builder().withDefaultValues(keys).build(), withFile);

    assertThatThrownBy(() -> settings.start(new StartupEvent()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(expected);
  }

  @Test
  void start_withoutAnIssuer_asksForNothing() {
    OidcSettings settings = settings(builder().build(), false);

    assertThatCode(() -> settings.start(new StartupEvent())).doesNotThrowAnyException();
    assertThat(settings.present()).isFalse();
  }

  @Test
  void roles_byVariables_areNotTakenForTheClaim() {
    Map<String, String> variables =
        Map.of(
            "STOKER_OIDC_ISSUER", ANY,
            "STOKER_OIDC_CLIENT_ID", "stoker",
            "STOKER_OIDC_ROLES_CLAIM", "realm.roles",
            "STOKER_OIDC_ROLES_READ", "staff,interns");
    SmallRyeConfig config =
        builder().withSources(new EnvConfigSource(variables, EnvConfigSource.ORDINAL)).build();

    ClaimMapping mapping = settings(config, true).mapping();

    assertThat(mapping.rolesClaim()).isEqualTo("realm.roles");
    assertThat(mapping.roles()).isEqualTo(Map.of(AccessRole.READ, Set.of("staff", "interns")));
    assertThat(mapping.login(Map.of("sub", "ann", "realm", Map.of("roles", List.of("interns", 7)))))
        .isInstanceOf(Login.Taken.class);
  }
}
